// An object as it is stored now, with the revision that optimistic locks compare.

import type { Revision } from "../contract/store.ts"
import type { ApiObject, ObjectKey } from "../object/object.ts"
import type { ApiContext } from "./api-context.ts"
import { decodeObject } from "./codec.ts"
import { type Converting, convertToServed } from "./convert-objects.ts"
import { apiFault } from "./faults.ts"
import { resourceName, type ServedResource } from "./served-resource.ts"
import { parseStorageKey, storageKey } from "./storage-keys.ts"

export interface StoredObject {
  readonly key: ObjectKey
  readonly storageKey: string
  readonly revision: Revision
  readonly object: ApiObject
  /** The apiVersion it is stored in. */
  readonly storedVersion?: string
  /** As it is stored, where that is another form: the asked version may have no place for all. */
  readonly stored?: ApiObject
}

type Reading = Pick<ApiContext, "store"> & Converting

/** With a resource, in the version that it serves. */
export async function readStored(
  context: Reading,
  key: ObjectKey,
  resource?: ServedResource,
): Promise<StoredObject | undefined> {
  const path = storageKey(key)
  const entry = await context.store.get(path)
  // Reading without a revision is never refused as compacted; the type only says it could be.
  if (entry === undefined || "kind" in entry) return undefined
  const stored = decodeObject(entry.value, entry.modRevision)
  const storedVersion = stored.apiVersion
  const [object = stored] =
    resource === undefined ? [stored] : await convertToServed(context, resource, [stored])
  const other = object === stored ? {} : { stored }
  return { key, storageKey: path, revision: entry.modRevision, object, storedVersion, ...other }
}

export async function needStored(
  context: Reading,
  key: ObjectKey,
  resource?: ServedResource,
): Promise<StoredObject> {
  const stored = await readStored(context, key, resource)
  if (stored !== undefined) return stored
  throw apiFault("SPT-API-001", { ...faultNames(key) })
}

const pageSize = 500

/** All objects under a prefix, page by page. What changes meanwhile may be seen or not. */
export async function* readAllStored(
  { store }: Pick<ApiContext, "store">,
  prefix: string,
): AsyncGenerator<StoredObject> {
  let after: string | undefined
  for (;;) {
    const query = { prefix, limit: pageSize, ...(after === undefined ? {} : { after }) }
    const page = await store.range(query)
    if (page.kind === "compacted") return
    for (const { key: path, value, modRevision: revision } of page.entries) {
      const key = parseStorageKey(path)
      if (key === undefined) continue
      yield { key, storageKey: path, revision, object: decodeObject(value, revision) }
    }
    after = page.entries.at(-1)?.key
    if (!page.more || after === undefined) return
  }
}

/** The details that faults about one object carry. */
export function faultNames(key: ObjectKey): { resource: string; name: string; group: string } {
  return { resource: resourceName(key), name: key.name, group: key.group }
}
