// Reads for HTTP that hand on stored bytes instead of objects: what is stored is nearly what goes
// over the wire, so nothing is parsed that nobody looks into.

import type { ListOptions, ObjectRef } from "../contract/client.ts"
import type { Revision } from "../contract/store.ts"
import type { WatchRequest } from "../contract/verbs.ts"
import type { ApiObject, ResourceRef } from "../object/object.ts"
import type { ApiContext } from "./api-context.ts"
import { encodeServed } from "./codec.ts"
import { convertEntries } from "./convert-objects.ts"
import { objectBytes } from "./object-bytes.ts"
import { readBytes } from "./served-form.ts"
import type { ServedResource } from "./served-resource.ts"
import { storageKey } from "./storage-keys.ts"
import { keyOf } from "./verb-get.ts"
import { listEntries } from "./verb-list.ts"
import { eventObject, type RawEvent, type RawWatchEvent, watchRaw } from "./verb-watch.ts"

export interface BytesList {
  readonly resourceVersion: string
  readonly continue?: string
  readonly remainingItemCount?: number
  readonly items: readonly Uint8Array[]
}

export interface RawReads {
  /** Undefined when there is none. `tail` is put behind it. */
  get(ref: ObjectRef, tail?: string): Promise<Uint8Array | undefined>
  list(ref: ResourceRef, options: ListOptions): Promise<BytesList>
  watch(ref: ResourceRef, request: WatchRequest): AsyncIterable<RawWatchEvent>
}

export function rawReads(context: ApiContext): RawReads {
  return {
    async get(ref, tail = "") {
      const resource = context.registry.need(ref)
      const entry = await context.store.get(storageKey(keyOf(resource, ref.namespace, ref.name)))
      if (entry === undefined || "kind" in entry) return undefined
      // Only kinds that a webhook converts have to wait for it.
      const [{ value } = entry] =
        resource.conversion === undefined
          ? [entry]
          : await convertEntries(context, resource, [entry])
      return servedBytes(resource, value, entry.modRevision, tail)
    },
    async list(ref, options) {
      const { resource, items, ...rest } = await listEntries(context, ref, options)
      const bytes = items.map(({ entry }) => servedBytes(resource, entry.value, entry.modRevision))
      return { ...rest, items: bytes }
    },
    watch: (ref, request) => watchRaw(context, ref, request),
  }
}

function servedBytes(
  resource: ServedResource,
  value: Uint8Array,
  revision: Revision,
  tail = "",
): Uint8Array {
  const bytes = objectBytes(resource, value, revision, tail)
  return bytes ?? encodeServed(readBytes(resource, value, revision), tail)
}

interface KnownLine {
  readonly resource: ServedResource
  readonly key: string
  readonly line: Uint8Array
}

const lines = new WeakMap<Uint8Array, KnownLine>()

/** A watch event as one line. Watchers of the same kind share it: values come from one hub. */
export function eventLine(resource: ServedResource, event: RawEvent): Uint8Array {
  const key = `${event.type} ${event.revision}`
  const known = lines.get(event.value)
  if (known?.key === key && known.resource === resource) return known.line
  const object = objectBytes(resource, event.value, event.revision, "", event.written)
  const bytes = object ?? encodeServed(eventObject(resource, event) as ApiObject)
  const line = Buffer.concat([Buffer.from(`{"type":"${event.type}","object":`), bytes, tail])
  lines.set(event.value, { resource, key, line })
  return line
}

const tail = Buffer.from("}\n")
