// A watch over HTTP: one JSON event per line. Headers go out at once; events that are ready
// together go out together; a slow reader is waited for, but not for ever; a failure on the way is
// the last event, as Kubernetes does it.

import type { IncomingHttpHeaders } from "node:http"
import { type Clock, sleep } from "../../base/clock.ts"
import { isFault } from "../../base/faults.ts"
import type { JsonObject } from "../../base/json.ts"
import { jsonText, parseJson } from "../../base/json-text.ts"
import type { ListOptions } from "../../contract/client.ts"
import type { ApiObject, ObjectMeta, ResourceRef } from "../../object/object.ts"
import { checkWatchOptions } from "../list-options.ts"
import { eventLine, type RawReads } from "../raw-reads.ts"
import { type ServedResource, servedApiVersion } from "../served-resource.ts"
import { statusOf } from "../status-object.ts"
import { eventObject, type RawEvent, type RawWatchEvent } from "../verb-watch.ts"
import type { ApiResponse } from "./exchange.ts"
import { queryFlag } from "./query-flag.ts"
import { type Representation, representation } from "./representation.ts"

const slowReaderMs = 60_000
const timeoutSecondsMax = 86_400
/** Clients that do not say so are asked to come back after half an hour to an hour. */
const defaultSeconds = 1800

export interface WatchServing {
  readonly reads: RawReads
  readonly clock: Clock
  readonly ref: ResourceRef
  readonly resource: ServedResource
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly options: ListOptions
  /** Aborts when the client leaves or the server drains. */
  readonly signal: AbortSignal
  readonly response: ApiResponse
}

type Served =
  | RawWatchEvent
  | { readonly type: "INITIAL"; readonly bytes: Uint8Array }
  | { readonly type: "INITIAL_END"; readonly resourceVersion: string }

export async function serveWatch(serving: WatchServing): Promise<void> {
  const { response, clock } = serving
  const ends = new AbortController()
  const end = () => ends.abort()
  serving.signal.addEventListener("abort", end, { once: true })
  response.once("close", end)
  const timer = clock.after(lifeSeconds(serving) * 1000, end)
  try {
    const lines = new WatchLines(serving)
    const events = await openEvents(serving, ends.signal)
    response.writeHead(200, {
      "content-type": "application/json",
      "cache-control": "no-cache, private",
      "x-content-type-options": "nosniff",
    })
    response.flushHeaders()
    await pump(serving, lines, events, ends.signal)
  } finally {
    timer.cancel()
    serving.signal.removeEventListener("abort", end)
  }
}

function lifeSeconds({ query, clock }: WatchServing): number {
  const asked = Number(query.get("timeoutSeconds") ?? 0)
  if (asked > 0) return Math.min(asked, timeoutSecondsMax)
  // Spread, so that watches that began together do not come back together.
  return defaultSeconds + (clock.now() % defaultSeconds)
}

/** Refusals of the request itself are thrown from here, before the answer begins. */
async function openEvents(
  serving: WatchServing,
  signal: AbortSignal,
): Promise<AsyncIterable<Served>> {
  const { reads, ref, options, query } = serving
  const { resourceVersion: asked = "", resourceVersionMatch, limit: _l, ...rest } = options
  const { continue: _c, ...selection } = rest
  const isInitial = checkWatchOptions({
    resourceVersion: asked,
    resourceVersionMatch: resourceVersionMatch ?? "",
    sendInitialEvents: queryFlag(query, "sendInitialEvents"),
  })
  if (!isInitial) {
    // Who names no revision and wants no state begins now: what was before has no end.
    const resourceVersion = asked === "0" ? "" : asked
    return reads.watch(ref, { ...selection, resourceVersion, signal })
  }
  const bound = asked === "" || asked === "0" ? {} : { resourceVersion: asked }
  const list = await reads.list(ref, { ...selection, ...bound })
  const { resourceVersion } = list
  const live = reads.watch(ref, { ...selection, resourceVersion, signal })
  return (async function* (): AsyncGenerator<Served> {
    for (const bytes of list.items) yield { type: "INITIAL", bytes }
    yield { type: "INITIAL_END", resourceVersion }
    yield* live
  })()
}

/** From events to lines, in the form that was asked for. */
class WatchLines {
  readonly #serving: WatchServing
  readonly #form: Representation
  readonly #bookmarks: boolean
  #isFirst = true
  /** Everything up to this revision was sent. */
  #told = ""
  /** Of the newest revision something is still to be sent. */
  #isWithin = false

  constructor(serving: WatchServing) {
    this.#serving = serving
    this.#form = representation(serving)
    this.#bookmarks = queryFlag(serving.query, "allowWatchBookmarks") === true
  }

  lineOf(event: Served): Uint8Array | string | undefined {
    if (event.type === "INITIAL") return this.#initial(event.bytes)
    if (event.type === "INITIAL_END") {
      this.#told = event.resourceVersion
      const wanted = queryFlag(this.#serving.query, "sendInitialEvents") === true
      return wanted ? this.#bookmark(true) : undefined
    }
    if (event.type === "BOOKMARK") {
      this.#told = event.resourceVersion
      return this.#bookmark(false)
    }
    this.#isWithin = event.more === true
    if (!this.#isWithin) this.#told = String(event.revision)
    return this.#change(event)
  }

  /** A reader that resumes after the last event would miss what else changed with it. */
  get isWithin(): boolean {
    return this.#isWithin
  }

  /** Where a reader that comes back can go on. */
  last(): string | undefined {
    return this.#told === "" || this.#isWithin ? undefined : this.#bookmark(false)
  }

  #initial(bytes: Uint8Array): Uint8Array | string {
    if (this.#form.plain) return Buffer.concat([addedHead, bytes, lineTail])
    return this.#converted(
      "ADDED",
      parseJson(Buffer.from(bytes).toString("utf8")) as JsonObject & ApiObject,
    )
  }

  #change(event: RawEvent): Uint8Array | string {
    const { resource } = this.#serving
    if (this.#form.plain) return eventLine(resource, event)
    return this.#converted(event.type, eventObject(resource, event))
  }

  #converted(type: string, object: Parameters<Representation["object"]>[0]): string {
    const shown = this.#form.event(object, this.#isFirst)
    this.#isFirst = false
    return `${jsonText({ type, object: shown })}\n`
  }

  #bookmark(isInitialEnd: boolean): string | undefined {
    if (!this.#bookmarks) return undefined
    const { resource } = this.#serving
    const metadata = {
      resourceVersion: this.#told,
      ...(isInitialEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
    }
    const { kind } = resource
    // An object without a name, in the form that was asked for: clients can't read another one.
    return this.#converted("BOOKMARK", {
      ...{ kind, apiVersion: servedApiVersion(resource) },
      metadata: metadata as Partial<ObjectMeta> as ObjectMeta,
    })
  }
}

const addedHead = Buffer.from('{"type":"ADDED","object":')
const lineTail = Buffer.from("}\n")

async function pump(
  serving: WatchServing,
  lines: WatchLines,
  events: AsyncIterable<Served>,
  signal: AbortSignal,
): Promise<void> {
  const { response } = serving
  const reader = new Reader(serving)
  try {
    for await (const event of events) {
      if (signal.aborted && (response.destroyed || !lines.isWithin)) break
      const line = lines.lineOf(event)
      if (line === undefined || response.write(line)) continue
      if (!(await reader.caughtUp())) {
        response.destroy()
        return
      }
    }
    const last = lines.last()
    if (last !== undefined) response.write(last)
  } catch (error) {
    if (!isFault(error)) throw error
    response.write(`${JSON.stringify({ type: "ERROR", object: statusOf(error) })}\n`)
  }
  response.end()
}

/** Whoever reads the events; listened to once, however often it is waited for. */
class Reader {
  readonly #clock: Clock
  readonly #response: ApiResponse
  #told = (_isThere: boolean): void => {}

  constructor({ response, clock }: WatchServing) {
    this.#clock = clock
    this.#response = response
    response.on("drain", () => this.#told(true))
    response.on("close", () => this.#told(false))
  }

  /** False when it took too long or left. */
  async caughtUp(): Promise<boolean> {
    if (this.#response.destroyed) return false
    const patience = new AbortController()
    const done = new Promise<boolean>((resolve) => {
      this.#told = resolve
    })
    const late = sleep(this.#clock, slowReaderMs, patience.signal).then(() => false)
    const result = await Promise.race([done, late])
    patience.abort()
    return result
  }
}
