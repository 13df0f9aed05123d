// What a delete means for dependents. Background: they go with their owner. Foreground: the owner
// stays, marked, until those that block it are gone. Orphan: they stay and lose their reference.
// Without a word of the caller an object's own finalizers decide. Pure.

import type { DeleteOptions } from "../contract/client.ts"
import type { ApiObject } from "../object/object.ts"
import { finalizersOf } from "./end-object.ts"
import type { StoredObject } from "./stored-object.ts"

export type Propagation = NonNullable<DeleteOptions["propagationPolicy"]>

export const foregroundFinalizer = "foregroundDeletion"
export const orphanFinalizer = "orphan"

export function propagationOf(object: ApiObject, asked: Propagation | undefined): Propagation {
  if (asked !== undefined) return asked
  const finalizers = object.metadata.finalizers ?? []
  if (finalizers.includes(orphanFinalizer)) return "Orphan"
  return finalizers.includes(foregroundFinalizer) ? "Foreground" : "Background"
}

/** The finalizers that a policy leaves: what an earlier delete had in mind does not count. */
export function withPropagation(object: ApiObject, waits: boolean): ApiObject {
  const before = object.metadata.finalizers ?? []
  const others = before.filter((one) => one !== foregroundFinalizer && one !== orphanFinalizer)
  const finalizers = waits ? [...others, foregroundFinalizer] : others
  if (finalizers.length === before.length && !waits) return object
  const { finalizers: _, ...metadata } = object.metadata
  return {
    ...object,
    metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers },
  }
}

/** Whether the object waits for this owner's end, or rather the owner for the object's. */
export function blocks(object: ApiObject, ownerUid: string): boolean {
  const references = object.metadata.ownerReferences ?? []
  return references.some(({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion)
}

/** Those of a set that have to wait for blocking dependents; in a circle nobody waits. */
export function waitingOwners(all: readonly StoredObject[]): ReadonlySet<string> {
  const dependents = new Map<string, StoredObject[]>()
  for (const stored of all) {
    for (const { uid, blockOwnerDeletion } of stored.object.metadata.ownerReferences ?? []) {
      if (blockOwnerDeletion !== true) continue
      dependents.set(uid, [...(dependents.get(uid) ?? []), stored])
    }
  }
  const known = new Map<string, boolean>()
  const waiting = new Set<string>()
  const stays = ({ storageKey, object }: StoredObject): boolean => {
    const before = known.get(storageKey)
    if (before !== undefined) return before
    known.set(storageKey, false)
    const blocked = (dependents.get(object.metadata.uid ?? "") ?? []).map(stays).includes(true)
    if (blocked) waiting.add(storageKey)
    const kept = blocked || finalizersOf(withPropagation(object, false)).length > 0
    known.set(storageKey, kept)
    return kept
  }
  for (const stored of all) stays(stored)
  return waiting
}
