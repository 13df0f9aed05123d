// A stored object in the form that was asked for, and back. What lies in the store may have been
// written under an older schema or through another version, so it is read as its definition is now:
// without what its own version's schema does not know and with that version's defaults; then in the
// asked version, without what that one does not know.

import type { JsonObject } from "../base/json.ts"
import type { Revision } from "../contract/store.ts"
import { type ApiObject, apiVersionOf } from "../object/object.ts"
import { decodeObject } from "./codec.ts"
import { type ServedResource, servedApiVersion } from "./served-resource.ts"

/** For kinds without a webhook. One that needs no change stays the same object. */
export function asServed(resource: ServedResource, object: ApiObject): ApiObject {
  const { builtIn, rules, schema, versions } = resource
  const apiVersion = servedApiVersion(resource)
  const settled = versions.settle(object)
  if (settled.apiVersion === apiVersion) return settled
  if (builtIn) return rules.fromStored?.(settled) ?? { ...settled, apiVersion }
  const renamed = { ...settled, apiVersion }
  // Of a version that the definition has no more: it is taken for one of the asked version.
  if (versions.schemaOf(settled.apiVersion) === undefined) return versions.settle(renamed)
  if (versions.areAlike(settled.apiVersion, apiVersion)) return renamed
  return schema.prune(renamed as ApiObject as JsonObject).value as ApiObject
}

/** The form in which it lies in the store. */
export function asStored(resource: ServedResource, object: ApiObject): ApiObject {
  const { builtIn, rules, storedAs, versions } = resource
  const apiVersion = apiVersionOf(storedAs.group, storedAs.version)
  if (object.apiVersion === apiVersion) return object
  if (builtIn) return rules.toStored?.(object) ?? { ...object, apiVersion }
  const renamed = { ...object, apiVersion }
  if (versions.areAlike(object.apiVersion, apiVersion)) return renamed
  return versions.prune(renamed)
}

/** From stored bytes; of a kind that a webhook converts, from those that it converted already. */
export function readBytes(
  resource: ServedResource,
  value: Uint8Array,
  revision: Revision,
): ApiObject {
  const object = decodeObject(value, revision)
  return resource.conversion === undefined ? asServed(resource, object) : object
}
