// An object as it is stored now, with the revision that optimistic locks compare.

import type { Revision } from "../contract/store.ts"
import { type ApiObject, apiVersionOf, type ObjectKey } from "../object/object.ts"
import type { ApiContext } from "./api-context.ts"
import { decodeObject } from "./codec.ts"
import { type Converting, convertToServed } from "./convert-objects.ts"
import { apiFault } from "./faults.ts"
import { resourceName, type ServedResource, servedApiVersion } from "./served-resource.ts"
import { storageKey } from "./storage-keys.ts"

export interface StoredObject {
  readonly key: ObjectKey
  readonly storageKey: string
  readonly revision: Revision
  readonly object: ApiObject
  /** The apiVersion it is stored in. */
  readonly storedVersion?: string
}

type Reading = Pick<ApiContext, "store"> & Converting

/** With a resource, in the version that it serves when a webhook has to say how that looks. */
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
  return { key, storageKey: path, revision: entry.modRevision, object, storedVersion }
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

/** The details that faults about one object carry. */
export function faultNames(key: ObjectKey): { resource: string; name: string; group: string } {
  return { resource: resourceName(key), name: key.name, group: key.group }
}

/** A stored object in the form that was asked for; one that already has it stays as it is. */
export function asServed(resource: ServedResource, object: ApiObject): ApiObject {
  const apiVersion = servedApiVersion(resource)
  const { fromStored } = resource.rules
  const versioned =
    object.apiVersion === apiVersion
      ? object
      : fromStored === undefined
        ? { ...object, apiVersion }
        : fromStored(object)
  return resource.readTransform === undefined ? versioned : resource.readTransform(versioned)
}

/** The reverse: the form in which it lies in the store. */
export function asStored(resource: ServedResource, object: ApiObject): ApiObject {
  const { group, version } = resource.storedAs
  const apiVersion = apiVersionOf(group, version)
  if (object.apiVersion === apiVersion) return object
  const { toStored } = resource.rules
  return toStored === undefined ? { ...object, apiVersion } : toStored(object)
}
