// A namespaced object needs its namespace, alive. The check is part of the object's commit, so that
// a namespace can't end in between.

import type { Check } from "../contract/store.ts"
import type { ObjectKey } from "../object/object.ts"
import type { ApiContext } from "./api-context.ts"
import { apiFault, causesText } from "./faults.ts"
import { resourcePrefix } from "./storage-keys.ts"
import { faultNames, readAllStored, readStored, type StoredObject } from "./stored-object.ts"

export const namespaceKey = (name: string): ObjectKey => ({
  group: "",
  resource: "namespaces",
  namespace: "",
  name,
})

/** Those that are being deleted. */
export async function* endingNamespaces(
  context: Pick<ApiContext, "store">,
): AsyncGenerator<StoredObject> {
  const { group, resource } = namespaceKey("")
  for await (const stored of readAllStored(context, resourcePrefix(group, resource))) {
    if (stored.object.metadata.deletionTimestamp !== undefined) yield stored
  }
}

export function isNamespace(stored: Pick<StoredObject, "key">): boolean {
  return stored.key.group === "" && stored.key.resource === "namespaces"
}

const namesMax = 1000

/**
 * Namespaces that were alive when last looked at. Whoever relies on it commits with the check, so
 * that a namespace that changed since refuses the commit; it is then forgotten and read again.
 */
export class NamespacesSeen {
  readonly #alive = new Map<string, Check>()

  get(namespace: string): Check | undefined {
    return this.#alive.get(namespace)
  }

  note(namespace: string, check: Check): void {
    if (this.#alive.size >= namesMax) this.#alive.clear()
    this.#alive.set(namespace, check)
  }

  forget(namespace: string): void {
    this.#alive.delete(namespace)
  }
}

/** Throws when there is no such namespace, or when it ends. */
export async function namespaceCheck(context: ApiContext, key: ObjectKey): Promise<Check> {
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
  const check = { key: stored.storageKey, modRevision: stored.revision }
  context.namespaces.note(namespace, check)
  return check
}
