// A watch over HTTP: one JSON event per line. Headers go out at once; a slow reader is waited for,
// but not for ever; a failure on the way is the last event, as Kubernetes does it.

import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import { type Clock, sleep } from "../../base/clock.ts"
import { isFault } from "../../base/faults.ts"
import type { Json } from "../../base/json.ts"
import type { ListOptions, ObjectEvent } from "../../contract/client.ts"
import type { Principal } from "../../contract/principal.ts"
import type { Verbs } from "../../contract/verbs.ts"
import type { ResourceRef } from "../../object/object.ts"
import { type ServedResource, servedApiVersion } from "../served-resource.ts"
import { statusOf } from "../status-object.ts"

const slowReaderMs = 60_000
const timeoutSecondsMax = 86_400

export interface WatchServing {
  readonly verbs: Verbs
  readonly clock: Clock
  readonly principal: Principal
  readonly ref: ResourceRef
  readonly resource: ServedResource
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly options: ListOptions
  /** Aborts when the client leaves or the server drains. */
  readonly signal: AbortSignal
  readonly response: ServerResponse
}

export async function serveWatch(serving: WatchServing): Promise<void> {
  const { response, clock, query } = serving
  const ends = new AbortController()
  const end = () => ends.abort()
  serving.signal.addEventListener("abort", end, { once: true })
  response.once("close", end)
  const seconds = Number(query.get("timeoutSeconds") ?? 0)
  const timer =
    seconds > 0 ? clock.after(Math.min(seconds, timeoutSecondsMax) * 1000, end) : undefined
  try {
    const events = await openEvents(serving, ends.signal)
    response.writeHead(200, {
      "content-type": "application/json",
      "cache-control": "no-cache, private",
      "transfer-encoding": "chunked",
    })
    response.flushHeaders()
    await pump(serving, events, ends.signal)
  } finally {
    timer?.cancel()
    serving.signal.removeEventListener("abort", end)
  }
}

/** Refusals of the request itself are thrown from here, before the answer begins. */
async function openEvents(
  serving: WatchServing,
  signal: AbortSignal,
): Promise<AsyncIterable<ObjectEvent | { type: "INITIAL_END"; resourceVersion: string }>> {
  const { verbs, principal, ref, options, query } = serving
  const asked = query.get("resourceVersion") ?? ""
  const initial = asked === "" || asked === "0" || query.get("sendInitialEvents") === "true"
  if (!initial) return verbs.watch(principal, ref, { ...options, resourceVersion: asked, signal })
  const { limit: _l, continue: _c, ...selection } = options
  const list = await verbs.list(principal, ref, selection)
  const { resourceVersion } = list
  const rest = verbs.watch(principal, ref, { ...selection, resourceVersion, signal })
  return (async function* () {
    for (const object of list.items) yield { type: "ADDED", object } as const
    yield { type: "INITIAL_END", resourceVersion } as const
    yield* rest
  })()
}

async function pump(
  serving: WatchServing,
  events: AsyncIterable<ObjectEvent | { type: "INITIAL_END"; resourceVersion: string }>,
  signal: AbortSignal,
): Promise<void> {
  const { response } = serving
  try {
    for await (const event of events) {
      if (signal.aborted) break
      const line = lineOf(serving, event)
      if (line === undefined || response.write(line)) continue
      if (!(await drained(serving, signal))) {
        response.destroy()
        return
      }
    }
  } catch (error) {
    if (!isFault(error)) throw error
    response.write(`${JSON.stringify({ type: "ERROR", object: statusOf(error) })}\n`)
  }
  response.end()
}

function lineOf(
  { resource, query }: WatchServing,
  event: ObjectEvent | { type: "INITIAL_END"; resourceVersion: string },
): string | undefined {
  if ("object" in event) return `${JSON.stringify(event)}\n`
  if (query.get("allowWatchBookmarks") !== "true") return undefined
  const isEnd = event.type === "INITIAL_END"
  if (isEnd && query.get("sendInitialEvents") !== "true") return undefined
  const metadata: Json = {
    resourceVersion: event.resourceVersion,
    creationTimestamp: null,
    ...(isEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
  }
  const object = { kind: resource.kind, apiVersion: servedApiVersion(resource), metadata }
  return `${JSON.stringify({ type: "BOOKMARK", object })}\n`
}

/** False when the reader took too long or left. */
async function drained({ response, clock }: WatchServing, signal: AbortSignal): Promise<boolean> {
  const patience = new AbortController()
  const done = new Promise<boolean>((resolve) => {
    response.once("drain", () => resolve(true))
    response.once("close", () => resolve(false))
  })
  const late = sleep(clock, slowReaderMs, patience.signal).then(() => false)
  const result = await Promise.race([done, late])
  patience.abort()
  return result && !signal.aborted
}
