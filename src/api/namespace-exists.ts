// A namespaced object needs its namespace, alive. The check is part of the object's commit, so that
// a namespace can't end in between.

import type { Check } from "../contract/store.ts"
import type { ObjectKey } from "../object/object.ts"
import type { ApiContext } from "./api-context.ts"
import { apiFault, causesText } from "./faults.ts"
import type { ServedResource } from "./served-resource.ts"
import { faultNames, readStored, type StoredObject } from "./stored-object.ts"

export const namespaceKey = (name: string): ObjectKey => ({
  group: "",
  resource: "namespaces",
  namespace: "",
  name,
})

export function isNamespace(stored: Pick<StoredObject, "key">): boolean {
  return stored.key.group === "" && stored.key.resource === "namespaces"
}

export async function namespaceCheck(
  context: ApiContext,
  resource: ServedResource,
  key: ObjectKey,
): Promise<Check[]> {
  if (!resource.namespaced) return []
  const { namespace } = key
  const stored = await readStored(context, namespaceKey(namespace))
  if (stored === undefined)
    throw apiFault("SPT-API-011", { namespace, name: namespace, resource: "namespaces" })
  if (stored.object.metadata.deletionTimestamp !== undefined) {
    const message = `namespace ${namespace} is being terminated`
    const field = "metadata.namespace"
    const causes = causesText([{ reason: "NamespaceTerminating", message, field }])
    throw apiFault("SPT-API-012", { ...faultNames(key), namespace, causes })
  }
  return [{ key: stored.storageKey, modRevision: stored.revision }]
}
