// The set that a delete really means: the named objects, their dependents by owner UID, for a
// namespace everything in it but its loops and plans, and for a definition its objects. Bounded; a
// larger set is refused whole.

import type { ObjectKey } from "../object/object.ts"
import type { ApiContext } from "./api-context.ts"
import { decodeObject } from "./codec.ts"
import { isDefinition, readInstances } from "./definition-end.ts"
import { apiFault } from "./faults.ts"
import { goesLast } from "./namespace-end.ts"
import { isNamespace } from "./namespace-exists.ts"
import { parseStorageKey, resourcePrefix } from "./storage-keys.ts"
import { readStored, type StoredObject } from "./stored-object.ts"

export const deleteSetMax = 20_000
const pageSize = 500

export interface DeleteSet {
  /** What was asked for; missing objects are left out. */
  readonly roots: readonly StoredObject[]
  /** What goes with it, nearest first. */
  readonly dependents: readonly StoredObject[]
}

export type ExpandContext = Pick<ApiContext, "store" | "registry" | "owners">

export async function expandDelete(
  context: ExpandContext,
  keys: readonly ObjectKey[],
  cascades: (root: StoredObject) => boolean = () => true,
): Promise<DeleteSet> {
  const roots: StoredObject[] = []
  const seen = new Set<string>()
  const add = (list: StoredObject[], stored: StoredObject) => {
    if (seen.has(stored.storageKey)) return
    if (seen.size >= deleteSetMax) refuse()
    seen.add(stored.storageKey)
    list.push(stored)
  }
  for (const key of keys) {
    const stored = await readStored(context, key)
    if (stored !== undefined) add(roots, stored)
  }
  const dependents: StoredObject[] = []
  const wide = roots.filter(cascades)
  for (const root of wide.filter(isNamespace)) {
    for await (const stored of objectsIn(context, root.key.name)) add(dependents, stored)
  }
  // Its objects mean nothing without it, whatever becomes of their dependents.
  for (const root of roots.filter(isDefinition)) {
    for await (const stored of readInstances(context, root.object)) add(dependents, stored)
  }
  const queue = [...wide, ...dependents]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const stored of await readDependents(context, next)) {
      if (seen.has(stored.storageKey)) continue
      add(dependents, stored)
      queue.push(stored)
    }
  }
  return { roots, dependents }
}

function refuse(): never {
  const limit = `${deleteSetMax} objects at once`
  throw apiFault("SPT-API-009", { what: "the delete", size: `more`, limit })
}

/** An object with another living owner stays: only this reference of it dangles. */
async function readDependents(
  context: ExpandContext,
  owner: StoredObject,
): Promise<StoredObject[]> {
  const { uid } = owner.object.metadata
  if (uid === undefined) return []
  const found: StoredObject[] = []
  for (const key of context.owners.dependents(uid)) {
    const stored = await readStored(context, key)
    const references = stored?.object.metadata.ownerReferences ?? []
    if (stored === undefined || !references.some((reference) => reference.uid === uid)) continue
    // A namespaced owner owns only within its namespace.
    if (owner.key.namespace !== "" && stored.key.namespace !== owner.key.namespace) continue
    if (references.every((reference) => reference.uid === uid)) found.push(stored)
  }
  return found
}

async function* objectsIn(context: ExpandContext, namespace: string): AsyncGenerator<StoredObject> {
  const seen = new Set<string>()
  for (const served of context.registry.all()) {
    const prefix = resourcePrefix(served.group, served.resource, namespace)
    if (!served.namespaced || goesLast(served) || seen.has(prefix)) continue
    seen.add(prefix)
    let after: string | undefined
    for (;;) {
      const query = { prefix, limit: pageSize, ...(after === undefined ? {} : { after }) }
      const page = await context.store.range(query)
      if (page.kind === "compacted") break
      for (const entry of page.entries) {
        const key = parseStorageKey(entry.key)
        if (key === undefined) continue
        const object = decodeObject(entry.value, entry.modRevision)
        yield { key, storageKey: entry.key, revision: entry.modRevision, object }
      }
      after = page.entries.at(-1)?.key
      if (!page.more || after === undefined) break
    }
  }
}
