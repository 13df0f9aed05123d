// The end of a marked definition: no new objects of it are made, those that are there go, and with
// the last one the definition. Only kinds without targets end this way; all others stay while
// objects exist.

import { toTimestamp } from "../base/clock.ts"
import { isObject, type JsonObject } from "../base/json.ts"
import { mergeConditions } from "../object/conditions.ts"
import type { ApiObject, Condition, ObjectKey } from "../object/object.ts"
import { type ApiContext, commitObject } from "./api-context.ts"
import { endWrite } from "./end-object.ts"
import { apiFault } from "./faults.ts"
import { definitionGroup, definitionResource } from "./resource-registry.ts"
import type { ServedResource } from "./served-resource.ts"
import { resourcePrefix } from "./storage-keys.ts"
import { readAllStored, readStored, type StoredObject } from "./stored-object.ts"

export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io"

const attempts = 5

export const definitionKey = (name: string): ObjectKey => ({
  ...{ group: definitionGroup, resource: definitionResource, namespace: "", name },
})

export function isDefinition({ key }: Pick<StoredObject, "key">): boolean {
  return key.group === definitionGroup && key.resource === definitionResource
}

/** Where the objects of a definition lie. */
export function instancesOf(definition: ApiObject): { group: string; resource: string } {
  const names = definition.spec?.names
  const plural = isObject(names) ? names.plural : undefined
  return { group: String(definition.spec?.group), resource: String(plural) }
}

export async function* readInstances(
  context: Pick<ApiContext, "store" | "registry">,
  definition: ApiObject,
): AsyncGenerator<StoredObject> {
  const { group, resource } = instancesOf(definition)
  if (context.registry.isBuiltIn(group, resource)) return
  yield* readAllStored(context, resourcePrefix(group, resource))
}

/** As it is marked: it waits for its objects and says so. */
export function endingDefinition(object: ApiObject, time: string): ApiObject {
  const finalizers = [...new Set([...(object.metadata.finalizers ?? []), cleanupFinalizer])]
  const before = object.status?.conditions
  const known = (Array.isArray(before) ? before : []) as readonly Condition[] &
    readonly JsonObject[]
  const [terminating] = mergeConditions(
    known,
    [
      {
        type: "Terminating",
        status: "True",
        reason: "InstanceDeletionInProgress",
        message: "CustomResource deletion is in progress",
      },
    ],
    time,
  )
  const others = known.filter(({ type }) => type !== "Terminating")
  const status = { ...object.status, conditions: [...others, terminating] }
  return {
    ...object,
    metadata: { ...object.metadata, finalizers },
    status: status as JsonObject & typeof status,
  }
}

/** A new object needs its definition, alive. */
export function requireAlive(context: ApiContext, resource: ServedResource): void {
  if (resource.builtIn || context.registry.definition(resource.definition)?.ending !== true) return
  const why = "create not allowed while custom resource definition is terminating"
  throw apiFault("SPT-API-096", { why })
}

/** Ends a marked definition: removes what has been made since it was judged, then itself. */
export async function finishDefinition(context: ApiContext, name: string): Promise<boolean> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const stored = await readStored(context, definitionKey(name))
    if (stored === undefined) return true
    if (stored.object.metadata.deletionTimestamp === undefined) return false
    const time = toTimestamp(context.clock.now())
    const { group, resource } = instancesOf(stored.object)
    // What has a target is judged, or it stays: one may have been made since the others were.
    const hasTargets = context.hasProvider(group, resource)
    let left = 0
    for await (const instance of readInstances(context, stored.object)) {
      left++
      if (hasTargets || instance.object.metadata.deletionTimestamp !== undefined) continue
      const { write } = endWrite(instance, time)
      const done = await commitObject(context, write)
      if (done !== undefined && write.object === undefined) {
        left--
        context.owners.suspectDependents(instance.object.metadata.uid ?? "")
      }
    }
    if (left > 0) return false
    const others = (stored.object.metadata.finalizers ?? []).filter(
      (one) => one !== cleanupFinalizer,
    )
    const { finalizers: _, ...metadata } = stored.object.metadata
    const object = {
      ...stored.object,
      metadata: others.length === 0 ? metadata : { ...metadata, finalizers: others },
    }
    const { write } = endWrite({ ...stored, object }, time)
    const revision = await commitObject(context, write)
    if (revision === undefined) continue
    if (write.object === undefined) {
      context.owners.suspectDependents(stored.object.metadata.uid ?? "")
    }
    return write.object === undefined
  }
  return false
}
