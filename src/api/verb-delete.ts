// Deletes. The set is expanded and judged before anything of it is marked: a deletionTimestamp
// can't be taken back. Allowed sets are marked together with their budget in one commit; a held one
// changes nothing and names its plan. Objects already marked are not judged again.

import { protects } from "../base/protections.ts"
import type { AdmissionRequest } from "../contract/admission.ts"
import type { DeleteOptions, ListOptions, ObjectList, ObjectRef } from "../contract/client.ts"
import type { DeleteOrigin } from "../contract/delete-judge.ts"
import type { Principal } from "../contract/principal.ts"
import type { Deleted, DeleteSetOptions } from "../contract/verbs.ts"
import {
  type ApiObject,
  type ObjectKey,
  type ResourceRef,
  setpointGroup,
} from "../object/object.ts"
import { admitDeletes } from "./admission/admission-hooks.ts"
import { checkSourceDelete, isEngine } from "./admission/source-fields.ts"
import { afterEnd } from "./after-end.ts"
import type { ApiContext } from "./api-context.ts"
import { instancesOf, isDefinition } from "./definition-end.ts"
import { deletePlan } from "./delete-plan.ts"
import { deleteSetMax, expandDelete } from "./expand-delete.ts"
import { apiFault } from "./faults.ts"
import { judgeDelete } from "./judge-delete.ts"
import { markObjects } from "./mark-objects.ts"
import { isNamespace } from "./namespace-exists.ts"
import { propagationOf, waitingOwners } from "./propagation.ts"
import { resourcePrefix } from "./storage-keys.ts"
import { asServed, faultNames, needStored, readStored, type StoredObject } from "./stored-object.ts"
import { keyOf } from "./verb-get.ts"
import { listObjects } from "./verb-list.ts"
import { checkPreconditions } from "./verb-update.ts"
import { conflict } from "./write-object.ts"

/** One, and five more when another write came first, as Kubernetes does. */
const attempts = 6

export async function deleteObject(
  context: ApiContext,
  principal: Principal,
  ref: ObjectRef,
  options: DeleteOptions = {},
): Promise<Deleted> {
  const resource = context.registry.need(ref)
  const key = keyOf(resource, ref.namespace, ref.name)
  const old = await needStored(context, key)
  checkPreconditions(old, options)
  if (key.group === setpointGroup && key.resource === "plans" && !isEngine(principal)) {
    return deletePlan(context, principal, old, options.dryRun === true)
  }
  const origin: DeleteOrigin = isNamespace(old) ? "namespace" : "name"
  const deleted = await deleteKeys(context, principal, [key], { ...options, origin })
  const first = deleted[0]
  if (first === undefined) throw apiFault("SPT-API-001", { ...faultNames(key) })
  return { ...first, object: asServed(resource, first.object) }
}

export async function deleteObjects(
  context: ApiContext,
  principal: Principal,
  ref: ResourceRef,
  options: ListOptions & DeleteOptions = {},
): Promise<ObjectList> {
  const resource = context.registry.need(ref)
  if (resource.group === setpointGroup && resource.resource === "plans" && !isEngine(principal)) {
    const why = "plans are decided one by one"
    const way = "`setpoint reject PLAN` rejects one"
    throw apiFault("SPT-API-015", { what: "all plans", why, way })
  }
  const blank = options.labelSelector?.trim() === "" || options.fieldSelector?.trim() === ""
  if (blank && protects("empty-selector-is-not-all")) {
    const why = "its selector is empty, which selects nothing; leave it out to mean all of them"
    throw apiFault("SPT-API-006", { verb: "delete", what: resource.resource, why })
  }
  const list = await listObjects(context, ref, { ...options, limit: options.limit ?? deleteSetMax })
  if (list.continue !== undefined && options.limit === undefined) {
    const limit = `${deleteSetMax} objects at once`
    throw apiFault("SPT-API-009", { what: "the delete", size: "more", limit })
  }
  const keys = list.items.map(({ metadata }) =>
    keyOf(resource, metadata.namespace ?? "", metadata.name),
  )
  const { uid: _u, resourceVersion: _r, ...rest } = options
  const deleted = await deleteKeys(context, principal, keys, { ...rest, origin: "collection" })
  return { ...list, items: deleted.map(({ object }) => asServed(resource, object)) }
}

export async function deleteKeys(
  context: ApiContext,
  principal: Principal,
  keys: readonly ObjectKey[],
  options: DeleteSetOptions & DeleteOptions,
): Promise<Deleted[]> {
  const policy = (stored: StoredObject) => {
    const asked = propagationOf(stored.object, options.propagationPolicy)
    // What is in a namespace never outlives it, so it is judged with it.
    const orphans = asked === "Orphan" && isNamespace(stored)
    return orphans && protects("namespaces-take-all-along") ? "Background" : asked
  }
  for (let attempt = 0; attempt < attempts; attempt++) {
    // The engine deletes exactly what it names: dependents are judged as a set of their own.
    const set = await expandDelete(
      context,
      keys,
      (root) => !isEngine(principal) && policy(root) !== "Orphan",
    )
    for (const root of set.roots) checkPreconditions(root, options)
    const all = [...set.roots, ...set.dependents]
    const warnings = await checkDeletes(context, principal, all, options.dryRun === true)
    const fresh = all.filter(({ object }) => object.metadata.deletionTimestamp === undefined)
    const reserve = await judgeDelete(context, principal, fresh, options)
    const marked = await markObjects(context, fresh, set.roots, reserve, {
      dryRun: options.dryRun === true,
      orphaning: keysWhere(set.roots, (root) => policy(root) === "Orphan"),
      waiting: set.roots.some((root) => policy(root) === "Foreground")
        ? waitingOwners(all)
        : new Set(),
    })
    if (marked === undefined) continue
    if (options.dryRun === true) return withWarnings(marked, warnings)
    await afterEnd(context, all)
    const done = marked.map((one, index) => asItIs(context, one, set.roots[index]))
    return withWarnings(await Promise.all(done), warnings)
  }
  const [first] = keys
  throw first === undefined ? apiFault("SPT-API-024", { why: "too many writers" }) : conflict(first)
}

/** The first carries what is to be told about the whole set. */
function withWarnings(deleted: readonly Deleted[], warnings: readonly string[]): Deleted[] {
  const [first, ...others] = deleted
  return first === undefined || warnings.length === 0
    ? [...deleted]
    : [{ ...first, warnings }, ...others]
}

const warningsMax = 100

async function checkDeletes(
  context: ApiContext,
  principal: Principal,
  all: readonly StoredObject[],
  dryRun: boolean,
): Promise<string[]> {
  const warnings = new Set<string>()
  const requests: AdmissionRequest[] = []
  for (const { key, object } of all) {
    if (object.metadata.deletionTimestamp !== undefined) continue
    checkSourceDelete(principal, key, object)
    await checkUnused(context, key, object)
    const served = context.registry.findStored(key)
    const request: AdmissionRequest = {
      operation: "delete",
      subresource: "",
      principal,
      key,
      kind: object.kind,
      version: served?.version ?? "",
      namespaced: served?.namespaced ?? key.namespace !== "",
      object,
      old: object,
      dryRun,
      warn: (text) => void (warnings.size < warningsMax && warnings.add(text)),
    }
    for (const plugin of [...context.mutating, ...context.validating]) await plugin.admit(request)
    requests.push(request)
  }
  await admitDeletes(context, requests)
  return [...warnings]
}

/** A definition in use stays: else its objects lose their meaning, their targets their keeper. */
async function checkUnused(context: ApiContext, key: ObjectKey, object: ApiObject): Promise<void> {
  if (!isDefinition({ key })) return
  const { group, resource } = instancesOf(object)
  // What has no target goes with its definition.
  if (!context.hasProvider(group, resource)) return
  const prefix = resourcePrefix(group, resource)
  const page = await context.store.range({ prefix, limit: 100 })
  if (page.kind === "compacted" || page.entries.length === 0) return
  if (!protects("definition-in-use-stays")) return
  throw apiFault("SPT-API-018", {
    ...faultNames(key),
    count: page.more ? "100 or more" : page.entries.length,
    example: `\`setpoint delete ${key.name} --all\``,
  })
}

const keysWhere = (all: readonly StoredObject[], is: (one: StoredObject) => boolean) =>
  new Set(all.filter(is).map(({ storageKey }) => storageKey))

/** A definition without objects is gone by now. */
async function asItIs(
  context: ApiContext,
  deleted: Deleted,
  root: StoredObject | undefined,
): Promise<Deleted> {
  if (root === undefined || deleted.gone || !isDefinition(root)) return deleted
  return { ...deleted, gone: (await readStored(context, root.key)) === undefined }
}
