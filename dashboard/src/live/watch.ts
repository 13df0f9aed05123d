// List and watch of one collection over a stream: resumed from the last version that was seen,
// listed anew when the plane says that this is too long ago, tried again with growing pauses. A
// browser opens six connections to one host for all its tabs, so a tab holds few streams and none
// while it is hidden; collections that get none are listed again and again.

import { useEffect, useMemo } from "preact/hooks"
import { Collection, itemsMax, type KubeObject } from "./collection.ts"
import { faultOf, toRequestFault } from "./fault.ts"
import { type AskOptions, ask, openStream } from "./request.ts"
import { session } from "./session.ts"

export interface WatchOptions {
  /** Metadata alone is a tenth of the bytes. */
  readonly as?: "objects" | "metadata"
  /** Query of list and watch, such as "labelSelector=a%3Db". */
  readonly query?: string
}

export interface WatchedCollection {
  readonly collection: Collection
  close(): void
}

const streamsMax = 3
const pageSize = 1000
const lineMax = 4 * 1024 * 1024
const pollMs = 3000
const firstPauseMs = 500
const longestPauseMs = 10_000

let streams = 0

export function watchCollection(path: string, options: WatchOptions = {}): WatchedCollection {
  const collection = new Collection()
  const ends = new AbortController()
  void follow({ path, options, collection, signal: ends.signal })
  return { collection, close: () => ends.abort() }
}

interface Following {
  readonly path: string
  readonly options: WatchOptions
  readonly collection: Collection
  readonly signal: AbortSignal
}

async function follow(following: Following): Promise<void> {
  const { collection, signal } = following
  let version: string | undefined
  let pauseMs = firstPauseMs
  while (!signal.aborted) {
    await untilShown(signal)
    if (signal.aborted) return
    try {
      version ??= await listAll(following)
      pauseMs = firstPauseMs
      if (streams >= streamsMax) {
        collection.tell({ phase: "polled" })
        await pause(pollMs, signal)
        version = undefined
      } else {
        collection.tell({ phase: "live" })
        version = await stream(following, version)
      }
    } catch (error) {
      if (signal.aborted) return
      const fault = toRequestFault(error)
      if (fault.status === 410) version = undefined
      else {
        collection.tell({ phase: collection.items.size === 0 ? "loading" : "stale", fault })
        // Some waiting at random, so that pages do not come back all at once.
        await pause(pauseMs * (0.5 + Math.random()), signal)
        pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      }
    }
  }
}

async function listAll({ path, options, collection, signal }: Following): Promise<string> {
  const items: KubeObject[] = []
  let next = ""
  for (;;) {
    const query = new URLSearchParams(options.query)
    query.set("limit", String(pageSize))
    if (next !== "") query.set("continue", next)
    const list = await ask<{
      items: KubeObject[]
      metadata: { resourceVersion: string; continue?: string }
    }>(`${path}?${query}`, accepting(options, "List", signal))
    items.push(...list.items)
    next = list.metadata.continue ?? ""
    const full = items.length > itemsMax
    if (next === "" || full) {
      collection.replace(items.slice(0, itemsMax))
      collection.tell({ ...collection.state.peek(), truncated: full || next !== "" })
      return list.metadata.resourceVersion
    }
  }
}

function accepting(options: WatchOptions, form: string, signal: AbortSignal): AskOptions {
  if (options.as !== "metadata") return { signal }
  const as = `PartialObjectMetadata${form}`
  return { signal, accept: `application/json;as=${as};v=v1;g=meta.k8s.io` }
}

interface Event {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR"
  readonly object: KubeObject & { readonly code?: number }
}

/** Up to its end; answers with the version to go on from. */
async function stream(following: Following, from: string): Promise<string> {
  const { path, options, collection, signal } = following
  const query = new URLSearchParams(options.query)
  query.set("watch", "1")
  query.set("allowWatchBookmarks", "true")
  query.set("resourceVersion", from)
  query.set("timeoutSeconds", "600")
  const own = new AbortController()
  const hide = () => document.hidden && own.abort()
  document.addEventListener("visibilitychange", hide)
  streams++
  let version = from
  try {
    const both = AbortSignal.any([signal, own.signal])
    const response = await openStream(`${path}?${query}`, accepting(options, "", both))
    for await (const event of eventsOf(response)) {
      if (event.type === "ERROR") throw faultOf(event.object.code ?? 500, event.object)
      version = event.object.metadata.resourceVersion ?? version
      if (event.type === "DELETED") collection.remove(event.object)
      else if (event.type !== "BOOKMARK") collection.put(event.object)
    }
    return version
  } catch (error) {
    if (own.signal.aborted) return version
    // What came before the break was seen; it is not asked for again.
    const fault = toRequestFault(error)
    if (fault.status !== 0 || version === from) throw fault
    return version
  } finally {
    streams--
    document.removeEventListener("visibilitychange", hide)
  }
}

async function* eventsOf(response: Response): AsyncGenerator<Event> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return
  let rest = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + value).split("\n")
      rest = lines.pop() ?? ""
      if (rest.length > lineMax) throw new Error("an event is too long")
      for (const line of lines) if (line !== "") yield JSON.parse(line) as Event
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function untilShown(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const ready = () => signal.aborted || (!document.hidden && session.peek().state === "in")
    if (ready()) return resolve()
    const timer = setInterval(() => {
      if (!ready()) return
      clearInterval(timer)
      resolve()
    }, 100)
  })
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

interface Shared extends WatchedCollection {
  users: number
}

const shared = new Map<string, Shared>()
const lingerMs = 5000

/** Of a component; components that look at the same collection share one watch. */
export function useCollection(path: string, options: WatchOptions = {}): Collection {
  const key = `${path} ${options.as ?? ""} ${options.query ?? ""}`
  const row = useMemo(() => {
    const known = shared.get(key) ?? { ...watchCollection(path, options), users: 0 }
    shared.set(key, known)
    return known
  }, [key])
  useEffect(() => {
    row.users++
    return () => {
      row.users--
      // Whoever comes back at once, by one page and the next, finds it running.
      setTimeout(() => {
        if (row.users > 0 || shared.get(key) !== row) return
        shared.delete(key)
        row.close()
      }, lingerMs)
    }
  }, [row])
  return row.collection
}
