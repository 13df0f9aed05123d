// Reads one object.

import type { ObjectRef } from "../contract/client.ts"
import type { ApiObject, ObjectKey } from "../object/object.ts"
import type { ApiContext } from "./api-context.ts"
import { apiFault } from "./faults.ts"
import type { ServedResource } from "./served-resource.ts"
import { readStored } from "./stored-object.ts"

export async function getObject(
  context: ApiContext,
  ref: ObjectRef,
): Promise<ApiObject | undefined> {
  const resource = context.registry.need(ref)
  const stored = await readStored(context, keyOf(resource, ref.namespace, ref.name), resource)
  return stored?.object
}

/** The key of an object of the resource; refuses a namespace where none belongs, and reverse. */
export function keyOf(resource: ServedResource, namespace: string, name: string): ObjectKey {
  const refuse = (why: string) =>
    apiFault("SPT-API-006", { verb: "find", what: `${resource.resource} ${name}`, why })
  if (name === "" || name.includes("/")) throw refuse("it has no valid name")
  if (namespace.includes("/")) throw refuse("it has no valid namespace")
  if (resource.namespaced && namespace === "") throw refuse("a namespace is required")
  if (!resource.namespaced && namespace !== "") throw refuse("the kind is cluster-scoped")
  const { group, resource: plural } = resource.storedAs
  return { group, resource: plural, namespace, name }
}
