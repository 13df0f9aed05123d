// Follows a collection from a resourceVersion. With a selector, an object that leaves the selection
// is sent as DELETED with its former content, one that enters as ADDED. When that past is compacted
// the watch ends with 410; a reader that was merely slow goes on where it was.

import type { ObjectEvent } from "../contract/client.ts"
import type { Change, Revision } from "../contract/store.ts"
import type { WatchRequest } from "../contract/verbs.ts"
import type { ApiObject, ResourceRef } from "../object/object.ts"
import type { ApiContext } from "./api-context.ts"
import { decodeObject, parseResourceVersion } from "./codec.ts"
import { apiFault } from "./faults.ts"
import { readSelectors, type Selector } from "./selectors.ts"
import type { ServedResource } from "./served-resource.ts"
import { asServed } from "./stored-object.ts"
import { listPrefix } from "./verb-list.ts"

export function watchObjects(
  context: ApiContext,
  ref: ResourceRef,
  request: WatchRequest,
): AsyncIterable<ObjectEvent> {
  // Refusals come at the call, before anybody holds an open stream.
  const resource = context.registry.need(ref)
  const prefix = listPrefix(resource, request)
  const selector = readSelectors(request.labelSelector, request.fieldSelector, resource.resource)
  const after = parseResourceVersion(request.resourceVersion)
  if (after === undefined) {
    const why = `resourceVersion "${request.resourceVersion}" is not valid`
    throw apiFault("SPT-API-006", { verb: "watch", what: resource.resource, why })
  }
  return follow(context, { resource, prefix, selector, after, signal: request.signal })
}

interface Following {
  readonly resource: ServedResource
  readonly prefix: string
  readonly selector: Selector | undefined
  readonly after: Revision
  readonly signal: AbortSignal
}

async function* follow(context: ApiContext, following: Following): AsyncGenerator<ObjectEvent> {
  const { prefix, signal } = following
  let after = following.after
  while (!signal.aborted) {
    const options = { prefix, after, signal, withPrevious: true, withProgress: true }
    let overrun = false
    for await (const event of context.store.watch(options)) {
      if (event.kind === "compacted") {
        const at = { revision: after, oldest: event.oldest }
        throw apiFault("SPT-API-010", { what: "watch", ...at })
      }
      if (event.kind === "overrun") {
        overrun = true
        break
      }
      if (event.kind === "progress") {
        yield { type: "BOOKMARK", resourceVersion: String(event.revision) }
      } else {
        for (const change of event.changes) {
          const converted = await convert(context, following, change)
          if (converted !== undefined) yield converted
        }
      }
      after = event.revision
    }
    if (!overrun) return
  }
}

async function convert(
  context: ApiContext,
  { resource, selector }: Following,
  change: Change,
): Promise<ObjectEvent | undefined> {
  const read = (value: Uint8Array): ApiObject =>
    asServed(resource, decodeObject(value, change.modRevision))
  if (change.value === undefined) return undefined
  const object = read(change.value)
  const selected = selector === undefined || selector(object)
  if (change.kind === "delete") return selected ? { type: "DELETED", object } : undefined
  if (change.previousRevision === 0) return selected ? { type: "ADDED", object } : undefined
  if (selector === undefined) return { type: "MODIFIED", object }
  const former = await context.store.get(change.key, change.previousRevision)
  // When the former content is gone nobody can say whether it was selected; saying so once more is
  // harmless, since clients know what they hold.
  if (former === undefined || "kind" in former) {
    return { type: selected ? "MODIFIED" : "DELETED", object }
  }
  const before = read(former.value)
  if (selected) return { type: selector(before) ? "MODIFIED" : "ADDED", object }
  return selector(before) ? { type: "DELETED", object: before } : undefined
}
