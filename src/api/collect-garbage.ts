// Garbage: objects none of whose owners is there any more. An owner is there when an object of that
// kind, place, name and UID is. Whoever has another owner keeps it and loses the dangling
// reference; where it can't be known (a kind that is not served) nothing is done. What has a target
// is judged like any other delete, so that no dangling reference destroys anything by itself.

import { toFault } from "../base/faults.ts"
import type { Principal } from "../contract/principal.ts"
import type { ApiObject, ObjectKey, OwnerReference } from "../object/object.ts"
import { ownerKey, releaseForeground, waitsForDependents } from "./after-end.ts"
import { type ApiContext, commitObject } from "./api-context.ts"
import { readStored, type StoredObject } from "./stored-object.ts"
import { deleteKeys } from "./verb-delete.ts"

export const collectorPrincipal: Principal = {
  name: "setpoint:garbage-collector",
  kind: "service",
}

export type Collected =
  | { readonly kind: "kept" | "released" | "deleted" }
  /** A guard holds it, or a source declares it: it stays as it is. */
  | { readonly kind: "refused"; readonly why: string }
  /** It names an owner that it can't have. */
  | { readonly kind: "unresolvable"; readonly object: ApiObject; readonly owner: OwnerReference }

type OwnerState = "solid" | "waiting" | "absent" | "unknown" | "unresolvable"

/** Looks at one object that names owners, and does what follows. */
export async function collectGarbage(context: ApiContext, key: ObjectKey): Promise<Collected> {
  const stored = await readStored(context, key)
  const references = stored?.object.metadata.ownerReferences ?? []
  if (stored === undefined || references.length === 0) return { kind: "kept" }
  const states = new Map<OwnerReference, OwnerState>()
  for (const reference of references) {
    states.set(reference, await ownerState(context, key, reference))
  }
  const having = (state: OwnerState) => references.filter((one) => states.get(one) === state)
  const [lost] = having("unresolvable")
  if (lost !== undefined) return { kind: "unresolvable", object: stored.object, owner: lost }
  const solid = [...having("solid"), ...having("unknown")]
  const gone = having("absent")
  if (solid.length > 0) {
    const waiting = having("waiting")
    const dropped = [...gone, ...waiting]
    if (dropped.length === 0) return { kind: "kept" }
    await dropReferences(context, stored, dropped)
    for (const owner of waiting) await releaseWaiting(context, key, owner)
    return { kind: "released" }
  }
  // Owners that wait for their dependents keep none of them, nor one that was made since.
  if (stored.object.metadata.deletionTimestamp !== undefined) return { kind: "kept" }
  return deleteGarbage(context, stored)
}

async function ownerState(
  context: ApiContext,
  key: ObjectKey,
  reference: OwnerReference,
): Promise<OwnerState> {
  const place = ownerKey(context, key, reference)
  if (place === undefined) return "unknown"
  if (place === null) return "unresolvable"
  const owner = await readStored(context, place)
  if (owner?.object.metadata.uid !== reference.uid) return "absent"
  return waitsForDependents(owner.object, reference.uid) ? "waiting" : "solid"
}

async function releaseWaiting(context: ApiContext, key: ObjectKey, owner: OwnerReference) {
  const place = ownerKey(context, key, owner)
  if (place !== undefined && place !== null) await releaseForeground(context, place, owner.uid)
}

/** Loses to whoever changes the object meanwhile: it is looked at again then. */
async function dropReferences(
  context: ApiContext,
  { object, storageKey, revision }: StoredObject,
  dropped: readonly OwnerReference[],
): Promise<void> {
  const { ownerReferences = [], ...metadata } = object.metadata
  const kept = ownerReferences.filter((one) => !dropped.includes(one))
  const next = { ...object, metadata: { ...metadata, ownerReferences: kept } }
  await commitObject(context, { storageKey, before: revision, object: next })
}

async function deleteGarbage(context: ApiContext, { key, object }: StoredObject) {
  const { uid = "", resourceVersion = "" } = object.metadata
  try {
    const options = { origin: "cascade", uid, resourceVersion } as const
    await deleteKeys(context, collectorPrincipal, [key], options)
    return { kind: "deleted" } as const
  } catch (error) {
    const fault = toFault(error)
    if (fault.status === undefined || fault.status >= 500) throw error
    return { kind: "refused", why: fault.message } as const
  }
}
