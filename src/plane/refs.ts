// Names of objects for the verbs.

import type { ObjectRef } from "../contract/client.ts"
import type { ApiObject, ResourceRef } from "../object/object.ts"

export function refOf(resource: ResourceRef, object: ApiObject): ObjectRef {
  const { namespace = "", name } = object.metadata
  return { ...resource, namespace, name }
}
