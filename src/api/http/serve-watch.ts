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
import { type BytesList, eventLine, type RawReads } from "../raw-reads.ts"
import type { ResourceRegistry } from "../resource-registry.ts"
import { type ServedResource, servedApiVersion } from "../served-resource.ts"
import { statusOf } from "../status-object.ts"
import { eventObject, type RawEvent, type RawWatchEvent } from "../verb-watch.ts"
import type { ApiResponse } from "./exchange.ts"
import { queryFlag } from "./query-flag.ts"
import { type Representation, representation } from "./representation.ts"
import type { FollowedWatch, Follower, SharedWatches } from "./shared-watches.ts"

const slowReaderMs = 60_000
/** So much is remembered for a client that reads more slowly than the others. */
const behindBytesMax = 1024 * 1024
const timeoutSecondsMax = 86_400
/** Clients that do not say so are asked to come back after half an hour to an hour. */
const defaultSeconds = 1800

export interface WatchServing {
  readonly reads: RawReads
  readonly watches: SharedWatches
  readonly registry: Pick<ResourceRegistry, "whileServed">
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

/** What a watch begins with, before anything changes. */
interface Beginning {
  /** Undefined when the current state was not asked for, and once it was told: it may be large. */
  list: BytesList | undefined
  readonly watch: FollowedWatch
}

export async function serveWatch(serving: WatchServing): Promise<void> {
  const { response, clock, registry, ref } = serving
  const ends = new AbortController()
  const end = () => ends.abort()
  // It shows objects as they are served now, whichever stream it is told them from.
  const signal = registry.whileServed(ref, ends.signal)
  serving.signal.addEventListener("abort", end, { once: true })
  response.once("close", end)
  const timer = clock.after(lifeSeconds(serving) * 1000, end)
  let watch: FollowedWatch | undefined
  try {
    const client = new WatchClient(serving)
    const beginning = await begin(serving, client)
    watch = beginning.watch
    response.writeHead(200, {
      "content-type": "application/json",
      "cache-control": "no-cache, private",
      "x-content-type-options": "nosniff",
    })
    response.flushHeaders()
    await follow(response, client, beginning, signal)
  } finally {
    watch?.leave()
    end()
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
async function begin(serving: WatchServing, client: WatchClient): Promise<Beginning> {
  const { reads, ref, resource, options, query, watches } = serving
  const { resourceVersion: asked = "", resourceVersionMatch, limit: _l, ...rest } = options
  const { continue: _c, ...selection } = rest
  const isInitial = checkWatchOptions({
    resourceVersion: asked,
    resourceVersionMatch: resourceVersionMatch ?? "",
    sendInitialEvents: queryFlag(query, "sendInitialEvents"),
  })
  // Who names no revision and wants no state begins now: what was before has no end.
  const bound = asked === "" || asked === "0" ? {} : { resourceVersion: asked }
  const list = isInitial ? await reads.list(ref, { ...selection, ...bound }) : undefined
  const { namespace = "", labelSelector = "", fieldSelector = "" } = selection
  const isWhole = labelSelector === "" && fieldSelector === "" && resource.conversion === undefined
  const watch = watches.begin({
    collection: isWhole && client.isPlain ? { resource, namespace } : undefined,
    after: list?.resourceVersion ?? bound.resourceVersion ?? "",
    open: (after, signal) => reads.watch(ref, { ...selection, resourceVersion: after, signal }),
    follower: client,
  })
  return { list, watch }
}

async function follow(
  response: ApiResponse,
  client: WatchClient,
  beginning: Beginning,
  signal: AbortSignal,
): Promise<void> {
  try {
    const isThere = beginning.list === undefined || (await client.tellState(beginning.list, signal))
    beginning.list = undefined
    if (!isThere || (await beginning.watch.run(signal)) === "slow") {
      response.destroy()
      return
    }
    client.tellEnd()
  } catch (error) {
    if (!isFault(error)) throw error
    response.write(`${JSON.stringify({ type: "ERROR", object: statusOf(error) })}\n`)
  }
  response.end()
}

/** From events to lines, in the form that was asked for, and to whoever reads them. */
class WatchClient implements Follower {
  readonly #serving: WatchServing
  readonly #form: Representation
  readonly #bookmarks: boolean
  readonly #response: ApiResponse
  #isFirst = true
  /** Everything up to this revision was sent. */
  #told = ""
  /** Of the newest revision something is still to be sent. */
  #isWithin = false
  #isFull = false
  /** Bytes that it was told since it was full. */
  #owed = 0
  /** Tells who waits for it that it drained, or left. */
  #wake = (_isThere: boolean): void => {}

  constructor(serving: WatchServing) {
    const { response } = serving
    this.#serving = serving
    this.#form = representation(serving)
    this.#bookmarks = queryFlag(serving.query, "allowWatchBookmarks") === true
    this.#response = response
    // Listened to once, however often it is waited for.
    response.on("drain", () => {
      this.#isFull = false
      this.#owed = 0
      this.#wake(true)
    })
    response.on("close", () => this.#wake(false))
  }

  /** Stored bytes are what it is told. */
  get isPlain(): boolean {
    return this.#form.plain
  }

  get isFull(): boolean {
    return this.#isFull
  }

  get isBehind(): boolean {
    return this.#owed > behindBytesMax
  }

  get isGone(): boolean {
    return this.#response.destroyed
  }

  async caughtUp(): Promise<boolean> {
    if (this.isGone || !this.#isFull) return !this.isGone
    const patience = new AbortController()
    const done = new Promise<boolean>((resolve) => {
      this.#wake = resolve
    })
    const late = sleep(this.#serving.clock, slowReaderMs, patience.signal).then(() => false)
    const isThere = await Promise.race([done, late])
    patience.abort()
    return isThere
  }

  tell(event: RawWatchEvent): void {
    if (event.type === "BOOKMARK") {
      this.#told = event.resourceVersion
      if (this.#bookmarks) this.#write(this.#bookmark(false))
      return
    }
    this.#isWithin = event.more === true
    if (!this.#isWithin) this.#told = String(event.revision)
    this.#write(this.#change(event))
  }

  /** The state that changes are told after. False when nobody reads it. */
  async tellState({ items, resourceVersion }: BytesList, signal: AbortSignal): Promise<boolean> {
    for (const bytes of items) {
      if (signal.aborted) return !this.isGone
      this.#write(this.#initial(bytes))
      if (this.#isFull && !(await this.caughtUp())) return false
    }
    this.#told = resourceVersion
    const isAsked = queryFlag(this.#serving.query, "sendInitialEvents") === true
    if (isAsked && this.#bookmarks) this.#write(this.#bookmark(true))
    return !this.#isFull || this.caughtUp()
  }

  /** Where a client that comes back can go on: amid a revision it would miss the rest of it. */
  tellEnd(): void {
    if (this.#bookmarks && this.#told !== "" && !this.#isWithin) this.#write(this.#bookmark(false))
  }

  #write(line: Uint8Array | string): void {
    if (!this.#response.write(line)) this.#isFull = true
    if (this.#isFull) this.#owed += line.length
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

  #bookmark(isInitialEnd: boolean): string {
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
