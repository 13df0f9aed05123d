// What follows from the end of objects: a namespace or definition that only waited for them ends,
// an owner that they blocked goes on, and what they owned is looked at by the garbage collector.

import { toTimestamp } from "../base/clock.ts"
import type { ApiObject, ObjectKey, OwnerReference } from "../object/object.ts"
import { parseApiVersion } from "../object/object.ts"
import { type ApiContext, commitObject } from "./api-context.ts"
import { finishDefinition, isDefinition } from "./definition-end.ts"
import { endWrite } from "./end-object.ts"
import { finishNamespace } from "./namespace-end.ts"
import { isNamespace } from "./namespace-exists.ts"
import { blocks, foregroundFinalizer, withPropagation } from "./propagation.ts"
import { resourceName } from "./served-resource.ts"
import { readStored, type StoredObject } from "./stored-object.ts"

const attempts = 5

export type Ended = Pick<StoredObject, "key" | "object">

/** `ended` were marked or are gone; nothing of it is wrong for those that still stand. */
export async function afterEnd(context: ApiContext, ended: readonly Ended[]): Promise<void> {
  const queue = [...ended]
  const definitions = new Set<string>()
  const namespaces = new Set<string>()
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { key, object } = next
    if (isNamespace(next)) namespaces.add(key.name)
    else if (key.namespace !== "") namespaces.add(key.namespace)
    if (isDefinition(next)) definitions.add(key.name)
    else if (context.registry.definition(resourceName(key))?.ending) {
      definitions.add(resourceName(key))
    }
    for (const reference of object.metadata.ownerReferences ?? []) {
      const owner = await releaseOwner(context, key, reference)
      if (owner !== undefined) queue.push(owner)
    }
    context.owners.suspectDependents(object.metadata.uid ?? "")
  }
  for (const name of definitions) await finishDefinition(context, name)
  for (const name of namespaces) await finishNamespace(context, name)
}

/** Where an owner lies; undefined when its kind is not served, null when it can't own this one. */
export function ownerKey(
  context: Pick<ApiContext, "registry">,
  dependent: Pick<ObjectKey, "namespace">,
  { apiVersion, kind, name }: OwnerReference,
): ObjectKey | null | undefined {
  const { group, version } = parseApiVersion(apiVersion)
  const served = context.registry.findKind(group, version, kind)
  if (served === undefined) return undefined
  if (served.namespaced && dependent.namespace === "") return null
  const { storedAs } = served
  const namespace = served.namespaced ? dependent.namespace : ""
  return { group: storedAs.group, resource: storedAs.resource, namespace, name }
}

/** A marked owner whose last blocking dependent is gone loses its finalizer. */
async function releaseOwner(
  context: ApiContext,
  dependent: ObjectKey,
  reference: OwnerReference,
): Promise<Ended | undefined> {
  const key = ownerKey(context, dependent, reference)
  return key === undefined || key === null
    ? undefined
    : releaseForeground(context, key, reference.uid)
}

/** The owner, when it is gone now. */
export async function releaseForeground(
  context: ApiContext,
  key: ObjectKey,
  uid: string,
): Promise<Ended | undefined> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const owner = await readStored(context, key)
    if (owner === undefined || !waitsForDependents(owner.object, uid)) return undefined
    if (await isBlocked(context, uid)) return undefined
    const object = withPropagation(owner.object, false)
    const { write } = endWrite({ ...owner, object }, toTimestamp(context.clock.now()))
    const revision = await commitObject(context, write)
    if (revision === undefined) continue
    return write.object === undefined ? { key, object } : undefined
  }
  return undefined
}

export function waitsForDependents(object: ApiObject, uid: string): boolean {
  const { metadata } = object
  if (metadata.uid !== uid || metadata.deletionTimestamp === undefined) return false
  return metadata.finalizers?.includes(foregroundFinalizer) === true
}

async function isBlocked(context: ApiContext, uid: string): Promise<boolean> {
  for (const key of context.owners.dependents(uid)) {
    const stored = await readStored(context, key)
    if (stored !== undefined && blocks(stored.object, uid)) return true
  }
  return false
}
