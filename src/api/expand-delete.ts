// The set that a delete really means: the named objects, their dependents by owner UID, for a
// namespace everything in it but its loops and plans, and for a definition its objects. Bounded; a
// larger set is refused whole. Of many objects that nothing hangs on (Events, mostly) only the keys
// are held: those do not count.

import type { Revision } from "../contract/store.ts"
import { type ObjectKey, setpointGroup } from "../object/object.ts"
import type { ApiContext } from "./api-context.ts"
import { isDefinition, readInstances } from "./definition-end.ts"
import { finalizersOf } from "./end-object.ts"
import { apiFault } from "./faults.ts"
import { goesLast } from "./namespace-end.ts"
import { isNamespace } from "./namespace-exists.ts"
import { resourcePrefix } from "./storage-keys.ts"
import { readAllStored, readStored, type StoredObject } from "./stored-object.ts"

export const deleteSetMax = 20_000
/** Up to so many everything that goes is one set. */
const wholeMax = 5000
/** Their keys are held: some 50 MB. */
const leavesMax = 200_000
const pageSize = 500

export interface DeleteSet {
  /** What was asked for; missing objects are left out, and others of the same name. */
  readonly roots: readonly StoredObject[]
  /** What goes with it, nearest first. */
  readonly dependents: readonly StoredObject[]
  /** Loops of namespaces that are not marked yet: they go at the end, and are asked about first. */
  readonly last: readonly StoredObject[]
  /** More that goes with it, which nothing hangs on: storage keys and revisions. */
  readonly leaves: ReadonlyMap<string, Revision>
}

export type ExpandContext = Pick<ApiContext, "store" | "registry" | "owners" | "hasProvider">

/** Nothing hangs on its end: no target, no owner, no dependents, no finalizer that waits. */
export function isLeaf(context: ExpandContext, { key, object }: StoredObject): boolean {
  const { uid = "", ownerReferences = [] } = object.metadata
  if (context.hasProvider(key.group, key.resource)) return false
  if (finalizersOf(object).length > 0 || ownerReferences.length > 0) return false
  return context.owners.dependents(uid).length === 0
}

export type IsMeant = (root: StoredObject) => Promise<boolean>

export interface ExpandRules {
  cascades(root: StoredObject): boolean
  /** Whether what has the name now is what was asked for. */
  readonly isMeant?: IsMeant | undefined
  /** Called with the leaves, which nobody else gets to see as objects. */
  checkLeaves(page: readonly StoredObject[]): Promise<void>
}

export async function expandDelete(
  context: ExpandContext,
  keys: readonly ObjectKey[],
  { cascades, isMeant, checkLeaves }: ExpandRules,
): Promise<DeleteSet> {
  const roots: StoredObject[] = []
  const seen = new Set<string>()
  const add = (list: StoredObject[], stored: StoredObject) => {
    if (seen.has(stored.storageKey)) return
    if (seen.size >= deleteSetMax) refuse(deleteSetMax)
    seen.add(stored.storageKey)
    list.push(stored)
  }
  for (const key of keys) {
    const stored = await readStored(context, key)
    if (stored !== undefined && (await isMeant?.(stored)) !== false) add(roots, stored)
  }
  const dependents: StoredObject[] = []
  const wide = roots.filter(cascades)
  const leaves = new Map<string, Revision>()
  const addAll = async (found: AsyncIterable<StoredObject>) => {
    const page: StoredObject[] = []
    for await (const stored of found) {
      const { storageKey, revision } = stored
      if (seen.size < wholeMax || seen.has(storageKey) || !isLeaf(context, stored)) {
        add(dependents, stored)
        continue
      }
      if (leaves.size >= leavesMax) refuse(leavesMax)
      leaves.set(storageKey, revision)
      if (page.push(stored) === pageSize) await checkLeaves(page.splice(0))
    }
    await checkLeaves(page)
  }
  const last: StoredObject[] = []
  const addContent = async (stored: StoredObject) => {
    if (isNamespace(stored)) {
      await addAll(objectsIn(context, stored.key.name))
      if (stored.object.metadata.deletionTimestamp === undefined) {
        last.push(...(await loopsIn(context, stored.key.name)))
      }
    }
    // Its objects mean nothing without it, whatever becomes of their dependents.
    if (isDefinition(stored)) await addAll(readInstances(context, stored.object))
  }
  for (const root of roots) if (isDefinition(root) || cascades(root)) await addContent(root)
  // What is found on the way has dependents and content, too.
  const all = [...wide, ...dependents]
  for (let at = 0; at < all.length; at++) {
    const owner = all[at]
    const known = dependents.length
    for (const stored of owner === undefined ? [] : await readDependents(context, owner)) {
      if (seen.has(stored.storageKey)) continue
      add(dependents, stored)
      await addContent(stored)
    }
    all.push(...dependents.slice(known))
  }
  return { roots, dependents, last, leaves }
}

/** What can be held and judged as one set has an end. */
export function refuse(max: number): never {
  throw apiFault("SPT-API-097", { limit: max })
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

async function loopsIn(context: ExpandContext, namespace: string): Promise<StoredObject[]> {
  const found: StoredObject[] = []
  const prefix = resourcePrefix(setpointGroup, "loops", namespace)
  for await (const stored of readAllStored(context, prefix)) {
    if (found.push(stored) > deleteSetMax) refuse(deleteSetMax)
  }
  return found
}

/** What is in a namespace, without what goes last; also of kinds that are not served now. */
export async function* objectsIn(
  context: Pick<ApiContext, "store" | "registry">,
  namespace: string,
): AsyncGenerator<StoredObject> {
  for (const { group, resource } of context.registry.places()) {
    if (goesLast({ group, resource })) continue
    yield* readAllStored(context, resourcePrefix(group, resource, namespace))
  }
}
