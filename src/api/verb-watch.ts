// Follows a collection from a resourceVersion. With a selector, an object that leaves the selection
// is sent as DELETED with its former content, one that enters as ADDED. When that past is compacted
// the watch ends with 410; a reader that was merely slow goes on where it was.

import type { ObjectEvent } from "../contract/client.ts"
import type { Change, Entry, Revision, WatchEvent } from "../contract/store.ts"
import type { WatchRequest } from "../contract/verbs.ts"
import type { ApiObject, ResourceRef } from "../object/object.ts"
import type { ApiContext } from "./api-context.ts"
import { convertEntries } from "./convert-objects.ts"
import { apiFault } from "./faults.ts"
import { needRevision, tooLarge } from "./list-options.ts"
import { readSelectors, type Selector } from "./selectors.ts"
import { readBytes } from "./served-form.ts"
import type { ServedResource } from "./served-resource.ts"
import { listPrefix } from "./verb-list.ts"

/** A change as it is stored; the object is made only for those who ask. */
export interface RawEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  readonly value: Uint8Array
  readonly revision: Revision
  /** The revision that the value was stored at: of what went, an older one. */
  readonly written: Revision
  /** Another event of this revision follows: who has seen only this one can't resume after it. */
  readonly more?: true
}

export type RawWatchEvent =
  | RawEvent
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string }

export async function* watchObjectsOf(
  resource: ServedResource,
  events: AsyncIterable<RawWatchEvent>,
): AsyncGenerator<ObjectEvent> {
  for await (const event of events) {
    if (event.type === "BOOKMARK") yield event
    else yield { type: event.type, object: eventObject(resource, event) }
  }
}

export const eventObject = (resource: ServedResource, { value, revision }: RawEvent): ApiObject =>
  readBytes(resource, value, revision)

export function watchObjects(
  context: ApiContext,
  ref: ResourceRef,
  request: WatchRequest,
): AsyncIterable<ObjectEvent> {
  const resource = context.registry.need(ref)
  return watchObjectsOf(resource, watchRaw(context, ref, request))
}

/** Refusals come at the call, before anybody holds an open stream. */
export function watchRaw(
  context: ApiContext,
  ref: ResourceRef,
  request: WatchRequest,
): AsyncIterable<RawWatchEvent> {
  const resource = context.registry.need(ref)
  const prefix = listPrefix(resource, request)
  const selector = readSelectors(request.labelSelector, request.fieldSelector, resource)
  const newest = context.store.revision
  const after = request.resourceVersion === "" ? newest : needRevision(request.resourceVersion)
  if (after > newest) throw tooLarge(after, newest)
  // A version that is no longer served ends its watches; clients then ask again and are told.
  const signal = context.registry.whileServed(ref, request.signal)
  const following = { resource, prefix, selector, after, signal }
  const isPlain = selector === undefined && resource.conversion === undefined
  return isPlain ? new PlainEvents(context, following) : follow(context, following)
}

interface Following {
  readonly resource: ServedResource
  readonly prefix: string
  readonly selector: Selector | undefined
  readonly after: Revision
  readonly signal: AbortSignal
}

async function* follow(context: ApiContext, following: Following): AsyncGenerator<RawWatchEvent> {
  const { prefix, signal } = following
  let after = following.after
  while (!signal.aborted) {
    let overrun = false
    for await (const event of context.store.watch(watchOptions(prefix, after, signal))) {
      if (event.kind === "compacted") throw tooOld(after, event.oldest)
      if (event.kind === "overrun") {
        overrun = true
        break
      }
      if (event.kind === "progress") {
        yield { type: "BOOKMARK", resourceVersion: String(event.revision) }
      } else {
        let held: RawEvent | undefined
        for (const change of event.changes) {
          const converted = await convert(context, following, change)
          if (converted === undefined) continue
          if (held !== undefined) yield { ...held, more: true }
          held = converted
        }
        if (held !== undefined) yield held
      }
      after = event.revision
    }
    if (!overrun) return
  }
}

const watchOptions = (prefix: string, after: Revision, signal: AbortSignal) => {
  return { prefix, after, signal, withPrevious: true, withProgress: true }
}

const tooOld = (revision: Revision, oldest: Revision) =>
  apiFault("SPT-API-010", { what: "watch", revision, oldest })

/**
 * The same for those who want everything as it is stored, which is most: by hand, since with many
 * watchers of one collection each hop of a generator is paid for every watcher and event.
 */
class PlainEvents implements AsyncIterableIterator<RawWatchEvent> {
  readonly #context: ApiContext
  readonly #following: Following
  #after: Revision
  #events: AsyncIterator<WatchEvent>
  #ready: RawEvent[] = []

  constructor(context: ApiContext, following: Following) {
    this.#context = context
    this.#following = following
    this.#after = following.after
    this.#events = this.#open()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<RawWatchEvent>> {
    const value = this.#ready.shift()
    if (value !== undefined) return Promise.resolve({ done: false, value })
    return this.#events.next().then((step) => this.#take(step))
  }

  async return(): Promise<IteratorResult<RawWatchEvent>> {
    await this.#events.return?.()
    return { done: true, value: undefined }
  }

  #open(): AsyncIterator<WatchEvent> {
    const { prefix, signal } = this.#following
    const events = this.#context.store.watch(watchOptions(prefix, this.#after, signal))
    return events[Symbol.asyncIterator]()
  }

  #take(
    step: IteratorResult<WatchEvent>,
  ): IteratorResult<RawWatchEvent> | Promise<IteratorResult<RawWatchEvent>> {
    if (step.done === true) return { done: true, value: undefined }
    const event = step.value
    if (event.kind === "compacted") throw tooOld(this.#after, event.oldest)
    if (event.kind === "overrun") {
      if (this.#following.signal.aborted) return { done: true, value: undefined }
      this.#events = this.#open()
      return this.next()
    }
    this.#after = event.revision
    if (event.kind === "progress") {
      const value = { type: "BOOKMARK", resourceVersion: String(event.revision) } as const
      return { done: false, value }
    }
    const plain = event.changes.map(plainEvent).filter((one) => one !== undefined)
    const last = plain.pop()
    for (const one of plain) this.#ready.push({ ...one, more: true })
    if (last !== undefined) this.#ready.push(last)
    return this.next()
  }
}

function plainEvent({ kind, value, previousRevision, modRevision }: Change): RawEvent | undefined {
  if (value === undefined) return undefined
  const revision = modRevision
  if (kind === "delete") return { type: "DELETED", value, revision, written: previousRevision }
  const type = previousRevision === 0 ? "ADDED" : "MODIFIED"
  return { type, value, revision, written: revision }
}

type Stored = Pick<Entry, "value" | "modRevision">

async function convert(
  context: ApiContext,
  { resource, selector }: Following,
  change: Change,
): Promise<RawEvent | undefined> {
  const { modRevision: revision } = change
  if (change.value === undefined) return undefined
  const served = async (entry: Stored): Promise<Uint8Array> => {
    const [{ value: bytes } = entry] = await convertEntries(context, resource, [entry])
    return bytes
  }
  const value = await served({ ...change, value: change.value })
  const read = (bytes: Uint8Array): ApiObject => readBytes(resource, bytes, revision)
  if (selector === undefined) return plainEvent({ ...change, value })
  const isNew = change.previousRevision === 0
  const selected = selector(read(value))
  if (change.kind === "delete" || isNew) {
    return selected ? plainEvent({ ...change, value }) : undefined
  }
  const written = revision
  const former = await context.store.get(change.key, change.previousRevision)
  // When the former content is gone nobody can say whether it was selected; saying so once more is
  // harmless, since clients know what they hold.
  if (former === undefined || "kind" in former) {
    return { type: selected ? "MODIFIED" : "DELETED", value, revision, written }
  }
  const before = await served(former)
  const wasSelected = selector(read(before))
  if (selected) return { type: wasSelected ? "MODIFIED" : "ADDED", value, revision, written }
  // Leaving the selection shows the former content, at the revision of the change.
  const gone = { type: "DELETED", value: before, revision, written: former.modRevision } as const
  return wasSelected ? gone : undefined
}
