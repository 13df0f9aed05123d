// Deletes. The set is expanded and judged before anything of it is marked: a deletionTimestamp
// can't be taken back. Allowed sets are marked together with their budget in one commit; a held one
// changes nothing and names its plan. Objects already marked are not judged again.

import { toFault } from "../base/faults.ts"
import { protects } from "../base/protections.ts"
import type { AdmissionRequest } from "../contract/admission.ts"
import type {
  DeleteManyOptions,
  DeleteOptions,
  ObjectList,
  ObjectRef,
  Preconditions,
} from "../contract/client.ts"
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
import { convertToServed } from "./convert-objects.ts"
import { instancesOf, isDefinition } from "./definition-end.ts"
import { deletePlan } from "./delete-plan.ts"
import { deleteSetMax, expandDelete, type IsMeant, objectsIn, refuse } from "./expand-delete.ts"
import { apiFault } from "./faults.ts"
import { judgeDelete } from "./judge-delete.ts"
import { markObjects } from "./mark-objects.ts"
import { isNamespace, namespaceKey } from "./namespace-exists.ts"
import { propagationOf, waitingOwners } from "./propagation.ts"
import { removeLeaves } from "./remove-leaves.ts"
import { readSelectors } from "./selectors.ts"
import type { ServedResource } from "./served-resource.ts"
import { resourcePrefix } from "./storage-keys.ts"
import { faultNames, needStored, readStored, type StoredObject } from "./stored-object.ts"
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
  // Read as it will be answered: nothing is deleted by a request that can't be.
  const old = await needStored(context, key, resource)
  needWanted(old, options)
  if (key.group === setpointGroup && key.resource === "plans" && !isEngine(principal)) {
    return deletePlan(context, principal, old, options.dryRun === true)
  }
  const origin: DeleteOrigin = isNamespace(old) ? "namespace" : "name"
  const deleted = await deleteKeys(context, principal, [key], { ...options, origin })
  const first = deleted[0]
  if (first === undefined) throw apiFault("SPT-API-001", { ...faultNames(key) })
  const [object = first.object] = await convertToServed(context, resource, [first.object])
  return { ...first, object }
}

export async function deleteObjects(
  context: ApiContext,
  principal: Principal,
  ref: ResourceRef,
  options: DeleteManyOptions = {},
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
  const list = await listObjects(context, ref, options, deleteSetMax)
  if (list.continue !== undefined && !options.limit) refuse(deleteSetMax)
  const keys = list.items.map(({ metadata }) =>
    keyOf(resource, metadata.namespace ?? "", metadata.name),
  )
  const { resourceVersion: _r, preconditions, ...rest } = options
  const deleted = await deleteKeys(context, principal, keys, {
    ...{ ...rest, ...preconditions, origin: "collection" },
    isMeant: stillListed(context, list, resource, options),
  })
  const gone = deleted.map(({ object }) => object)
  return { ...list, items: await convertToServed(context, resource, gone) }
}

/**
 * Whether an object is one of those that were listed, and still selected. A list may show what was
 * long ago; whatever else has that name by now was never meant.
 */
function stillListed(
  context: ApiContext,
  { items }: ObjectList,
  resource: ServedResource,
  { labelSelector, fieldSelector }: DeleteManyOptions,
): IsMeant {
  const listed = new Map(items.map(({ metadata }) => [metadata.uid, metadata.resourceVersion]))
  const selects = readSelectors(labelSelector, fieldSelector, resource)
  return async ({ object, revision }) => {
    const { uid } = object.metadata
    if (!listed.has(uid)) return false
    if (selects === undefined || listed.get(uid) === String(revision)) return true
    const [served = object] = await convertToServed(context, resource, [object])
    return selects(served)
  }
}

/** Whoever deletes says "" of a uid by mistake, and must not be taken to have said nothing. */
function needWanted(stored: StoredObject, wanted: Preconditions): void {
  for (const text of [wanted.uid, wanted.resourceVersion]) {
    if (text === "") throw conflict(stored.key)
  }
  checkPreconditions(stored, wanted)
}

interface DeletingOptions extends DeleteSetOptions, DeleteOptions {
  readonly isMeant?: IsMeant
  /** Gets the namespaces that were marked, by name, with their UIDs. */
  readonly namespaces?: Map<string, string>
}

export async function deleteKeys(
  context: ApiContext,
  principal: Principal,
  keys: readonly ObjectKey[],
  options: DeletingOptions,
): Promise<Deleted[]> {
  const namespaces = new Map<string, string>()
  const deleted = await deleteOnce(context, principal, keys, { ...options, namespaces })
  if (options.dryRun === true || isEngine(principal)) return deleted
  for (const [name, uid] of namespaces) await deleteRest(context, principal, name, uid)
  return deleted
}

/** Goes on with a namespace that is marked already, if it is still that one. */
export async function emptyNamespace(
  context: ApiContext,
  principal: Principal,
  { key, object }: StoredObject,
): Promise<void> {
  const isMeant = isMarkedOne(object.metadata.uid)
  await deleteKeys(context, principal, [key], { origin: "namespace", isMeant })
}

/** Another one of the same name was never meant. */
const isMarkedOne =
  (uid: string | undefined): IsMeant =>
  async ({ object: { metadata } }) =>
    metadata.uid === uid && metadata.deletionTimestamp !== undefined

/**
 * A set is looked at before its namespace is marked, and that takes time when there is much in it:
 * what was made or changed meanwhile was in no set. Now that it is marked nothing new comes, and
 * looking again finds the rest. What is held or refused stays, and the namespace says so.
 */
async function deleteRest(context: ApiContext, principal: Principal, name: string, uid: string) {
  const key = namespaceKey(name)
  const isMeant = isMarkedOne(uid)
  for (let pass = 0; pass < attempts; pass++) {
    const stored = await readStored(context, key)
    if (stored === undefined || !(await isMeant(stored))) return
    if (!(await hasUnmarked(context, name))) return
    try {
      await deleteOnce(context, principal, [key], { origin: "namespace", isMeant })
    } catch (error) {
      if ((toFault(error).status ?? 500) >= 500) throw error
      return
    }
  }
}

async function hasUnmarked(context: ApiContext, namespace: string): Promise<boolean> {
  for await (const { object } of objectsIn(context, namespace)) {
    if (object.metadata.deletionTimestamp === undefined) return true
  }
  return false
}

async function deleteOnce(
  context: ApiContext,
  principal: Principal,
  keys: readonly ObjectKey[],
  options: DeletingOptions,
): Promise<Deleted[]> {
  const { isMeant, namespaces } = options
  let begun = false
  const policy = (stored: StoredObject) => {
    const asked = propagationOf(stored.object, options.propagationPolicy)
    // What is in a namespace never outlives it, so it is judged with it.
    const orphans = asked === "Orphan" && isNamespace(stored)
    return orphans && protects("namespaces-take-all-along") ? "Background" : asked
  }
  for (let attempt = 0; attempt < attempts; attempt++) {
    // The engine deletes exactly what it names: dependents are judged as a set of their own.
    const warnings = new Set<string>()
    const check = (some: readonly StoredObject[]) =>
      checkDeletes(context, principal, some, { dryRun: options.dryRun === true, warnings })
    const cascades = (root: StoredObject) => !isEngine(principal) && policy(root) !== "Orphan"
    const set = await expandDelete(context, keys, { cascades, isMeant, checkLeaves: check })
    for (const root of set.roots) {
      // Marked by the part before: its revision is our own.
      const isOurs = begun && root.object.metadata.deletionTimestamp !== undefined
      needWanted(root, isOurs ? { ...(options.uid && { uid: options.uid }) } : options)
    }
    const all = [...set.roots, ...set.dependents]
    if (!(await areThere(context, all.filter(isNamespace)))) continue
    await check([...all, ...set.last])
    const fresh = all.filter(({ object }) => object.metadata.deletionTimestamp === undefined)
    const reserve = await judgeDelete(context, principal, fresh, options)
    const marked = await markObjects(context, fresh, set.roots, reserve, {
      dryRun: options.dryRun === true,
      orphaning: keysWhere(set.roots, (root) => policy(root) === "Orphan"),
      waiting: set.roots.some((root) => policy(root) === "Foreground")
        ? waitingOwners(all)
        : new Set(),
      onBegun() {
        begun = true
        for (const { key, object } of all.filter(isNamespace)) {
          namespaces?.set(key.name, object.metadata.uid ?? "")
        }
      },
    })
    if (marked === undefined) continue
    if (options.dryRun === true) return withWarnings(marked, [...warnings])
    await removeLeaves(context, set.leaves)
    await afterEnd(context, all)
    const done = marked.map((one, index) => asItIs(context, one, set.roots[index]))
    return withWarnings(await Promise.all(done), [...warnings])
  }
  // Marked by now: what others keep changing is looked at again with the rest.
  if (namespaces !== undefined && namespaces.size > 0) return readDeleted(context, keys)
  const [first] = keys
  throw first === undefined ? apiFault("SPT-API-024", { why: "too many writers" }) : conflict(first)
}

async function readDeleted(context: ApiContext, keys: readonly ObjectKey[]): Promise<Deleted[]> {
  const left = await Promise.all(keys.map((key) => readStored(context, key)))
  return left.flatMap((stored) =>
    stored === undefined ? [] : [{ object: stored.object, gone: false }],
  )
}

/** What was found in a namespace was in that one if it is there still: names are given again. */
async function areThere(
  context: ApiContext,
  namespaces: readonly StoredObject[],
): Promise<boolean> {
  for (const { key, object } of namespaces) {
    const now = await readStored(context, key)
    if (now?.object.metadata.uid !== object.metadata.uid) return false
  }
  return true
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
  { dryRun, warnings }: { readonly dryRun: boolean; readonly warnings: Set<string> },
): Promise<void> {
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
