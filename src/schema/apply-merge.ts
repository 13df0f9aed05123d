// Server-side apply and the ownership bookkeeping of every other write, as Kubernetes does them,
// over whole objects. Pure: the caller defaults, validates and stores the result, and puts
// `managedFields` into its metadata.

import { equalJson, isArray, type Json, type JsonObject } from "../base/json.ts"
import { type FieldPath, fieldText, pathText } from "../object/field-path.ts"
import { FieldSet } from "../object/field-set.ts"
import type { ManagedFieldsEntry } from "../object/object.ts"
import { dropUnstated } from "./drop-unstated.ts"
import { schemaFault } from "./faults.ts"
import {
  capUpdaters,
  type Owner,
  type OwnerName,
  ownerId,
  ownersOf,
  ownerWith,
  readOwners,
  serverFields,
  unowned,
  writeOwners,
} from "./managed-fields.ts"
import {
  atOnce,
  inOneVersion,
  pathNode,
  pathVersion,
  type Steps,
  VersionedChange,
  type VersionedKind,
} from "./owner-versions.ts"
import type { SchemaNode } from "./schema-node.ts"
import {
  type Comparison,
  compareTyped,
  fieldSetOf,
  mergeTyped,
  removeItems,
} from "./typed-merge.ts"
import { flawOf, itemElement, loosePartsOf, shapeOf } from "./typed-value.ts"
import { valueDepthMax } from "./validation-walk.ts"

export { ownersOf } from "./managed-fields.ts"

/** Who writes. */
export interface Writer {
  readonly manager: string
  readonly apiVersion: string
  readonly time: string
  readonly subresource?: string
  /** Fields that this endpoint can't write (status, or everything but status). */
  readonly ignore?: FieldSet
}

export interface Applier extends Writer {
  readonly force: boolean
}

export interface ApplyConflict {
  readonly manager: string
  readonly path: string
  /** The same as Kubernetes writes it. */
  readonly field: string
  readonly at: FieldPath
  readonly operation: "Apply" | "Update"
  readonly apiVersion: string
  readonly time?: string
  readonly subresource?: string
}

export interface ApplyResult {
  /** The live object itself when nothing changed, and when there are conflicts. */
  readonly object: JsonObject
  readonly managedFields: readonly ManagedFieldsEntry[]
  /** Empty when forced: then the fields have changed hands. */
  readonly conflicts: readonly ApplyConflict[]
}

/** For kinds of one version. */
export const applyMerge = (
  node: SchemaNode,
  live: JsonObject | undefined,
  config: JsonObject,
  who: Applier,
  managedFields: readonly ManagedFieldsEntry[],
): ApplyResult =>
  atOnce(applySteps(inOneVersion(node, who.apiVersion), live, config, who, managedFields))

/** Throws SPT-SCHEMA-002 when the configuration has a list item without key, or the same twice. */
export function* applySteps(
  kind: VersionedKind,
  live: JsonObject | undefined,
  config: JsonObject,
  who: Applier,
  managedFields: readonly ManagedFieldsEntry[],
): Steps<ApplyResult> {
  const { node } = kind
  refuseFlaws(node, config, [])
  const barred = serverFields.union(who.ignore ?? FieldSet.empty)
  const stated = removeItems(node, config, barred) as JsonObject
  const owners = readOwners(managedFields, (version) => pathNode(kind, version))
  if (live !== undefined && owners.size === 0) addFirstOwner(node, live, who, owners)
  const id = ownerId({ ...who, operation: "Apply" })
  const former = owners.get(id)
  const set = fieldSetOf(node, stated)
  const others = [...owners].filter(([other]) => other !== id).map(([, owner]) => owner)
  const merged = live === undefined ? stated : (mergeTyped(node, live, stated) as JsonObject)
  const now = [...others, ownerWith(nameOf(who, "Apply", undefined), set)]
  const dropped = former !== undefined && mayDrop(kind, former, set)
  const wanted = dropped ? yield* dropUnstated(kind, merged, former, now) : merged
  const object = live !== undefined && equalJson(live, wanted) ? live : wanted
  const change = new VersionedChange(kind, live ?? {}, object)
  const asked = who.force || live === undefined ? [] : yield* conflictsOf(others, change)
  if (asked.length > 0) return { object: live ?? {}, managedFields, conflicts: asked }
  const left = object === live ? others : yield* released(others, change)
  const kept = set.difference(unowned)
  // The time is when the object was last changed by it, not when it last asked.
  const name = nameOf(who, "Apply", object === live ? former?.entry.time : who.time)
  const unmoved = object === live && former?.entry.apiVersion === who.apiVersion
  const own = unmoved && former.set.equals(kept) ? former : ownerWith(name, kept)
  return { object, managedFields: writeOwners([...left, own]), conflicts: [] }
}

/** Only in one version can be seen at once that everything is still stated. */
const mayDrop = (kind: VersionedKind, { entry, set: last }: Owner, set: FieldSet): boolean =>
  pathVersion(kind, entry.apiVersion) !== kind.apiVersion || !last.difference(set).isEmpty

/** What was there before anyone applied belongs to whoever wrote it, not to the first applier. */
function addFirstOwner(
  node: SchemaNode,
  live: JsonObject,
  who: Applier,
  owners: Map<string, Owner>,
): void {
  const name = nameOf({ ...who, manager: "before-first-apply" }, "Update", who.time)
  const barred = who.ignore ?? FieldSet.empty
  const set = compareTyped(node, {}, live).added.difference(unowned).differenceDeep(barred)
  if (!set.isEmpty) owners.set(ownerId(name), ownerWith(name, set))
}

/** What others own of what changed, each in the version of its record. */
function* conflictsOf(
  others: readonly Owner[],
  change: VersionedChange,
): Steps<readonly ApplyConflict[]> {
  const conflicts: ApplyConflict[] = []
  for (const { entry, set } of others) {
    const { manager, operation, apiVersion, time, subresource } = entry
    const { added, modified } = yield* change.in(apiVersion)
    const touched = added.union(modified).difference(unowned)
    for (const path of set.intersection(touched).paths()) {
      conflicts.push({
        manager,
        path: pathText(path),
        field: fieldText(path),
        at: path,
        operation,
        apiVersion,
        ...(time === undefined ? {} : { time }),
        ...(subresource === undefined ? {} : { subresource }),
      })
    }
  }
  return conflicts
}

/** The owners without what changed or went, each in the version of its record. */
function* released(
  owners: readonly Owner[],
  change: VersionedChange,
  barred = FieldSet.empty,
): Steps<readonly Owner[]> {
  const left: Owner[] = []
  for (const owner of owners) {
    const { added, modified, removed } = yield* change.in(owner.entry.apiVersion)
    const touched = added.union(modified).difference(unowned).union(removed)
    left.push(release(owner, touched.differenceDeep(barred)))
  }
  return left
}

function release(owner: Owner, paths: FieldSet): Owner {
  const set = owner.set.difference(paths)
  return set === owner.set ? owner : { ...owner, set }
}

function nameOf(who: Writer, operation: OwnerName["operation"], time: string | undefined) {
  const { manager, apiVersion, subresource } = who
  return {
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    ...(subresource === undefined ? {} : { subresource }),
  }
}

function refuseFlaws(node: SchemaNode, value: Json, path: FieldPath): void {
  if (path.length > valueDepthMax) {
    const cause = `is nested deeper than ${valueDepthMax} levels`
    throw schemaFault("SPT-SCHEMA-002", { path: pathText(path.slice(0, 8)), cause })
  }
  if (isArray(value) && shapeOf(node, value) !== "leaf") {
    const flaw = flawOf(node, value)
    const item = flaw === undefined ? undefined : value[flaw]
    if (flaw !== undefined && item !== undefined) {
      const keyed = itemElement(node, item) !== undefined
      const cause = keyed ? "is there twice" : `needs ${node.listMapKeys.join(" and ")}`
      const at = pathText([...path, { index: flaw }])
      throw schemaFault("SPT-SCHEMA-002", { path: at, cause })
    }
  }
  for (const part of loosePartsOf(node, value)?.values() ?? []) {
    refuseFlaws(part.node, part.value, [...path, part.element])
  }
}

/** For kinds of one version. */
export const updateManaged = (
  node: SchemaNode,
  before: JsonObject,
  after: JsonObject,
  who: Writer,
  managedFields: readonly ManagedFieldsEntry[],
): readonly ManagedFieldsEntry[] =>
  atOnce(updateSteps(inOneVersion(node, who.apiVersion), before, after, who, managedFields))

/**
 * Ownership after a create (`before` = {}), PUT or PATCH: what it changed is its own now and nobody
 * else's. An object whose managed fields were cleared stays untracked until someone applies to it.
 */
export function* updateSteps(
  kind: VersionedKind,
  before: JsonObject,
  after: JsonObject,
  who: Writer,
  managedFields: readonly ManagedFieldsEntry[],
): Steps<readonly ManagedFieldsEntry[]> {
  const owners = readOwners(managedFields, (version) => pathNode(kind, version))
  if (owners.size === 0 && Object.keys(before).length > 0) return managedFields
  const change = new VersionedChange(kind, before, after)
  const { added, modified, removed: gone } = yield* change.in(kind.apiVersion)
  const barred = who.ignore ?? FieldSet.empty
  const removed = gone.differenceDeep(barred)
  const touched = added.union(modified).difference(unowned).differenceDeep(barred)
  // Records written under another schema are put right by the next write, whatever it changes.
  const right = [...owners.values()].every(({ set, stored }) => set === stored)
  if (touched.isEmpty && removed.isEmpty && right) return managedFields
  const id = ownerId({ ...who, operation: "Update" })
  const former = owners.get(id)
  const others = [...owners].filter(([other]) => other !== id).map(([, owner]) => owner)
  const left = yield* released(others, change, barred)
  const kept = (former?.set ?? FieldSet.empty).difference(removed).union(touched)
  const time = touched.isEmpty ? former?.entry.time : who.time
  return writeOwners(capUpdaters([...left, ownerWith(nameOf(who, "Update", time), kept)]))
}

/** What the owners of the entries own of what a change touches, each in its own version. */
export function* touchedSteps(
  kind: VersionedKind,
  before: JsonObject,
  after: JsonObject,
  entries: readonly ManagedFieldsEntry[],
): Steps<ReturnType<typeof ownersOf>> {
  const change = new VersionedChange(kind, before, after)
  const touched: ReturnType<typeof ownersOf>[number][] = []
  for (const entry of entries) {
    const changed = changedIn(yield* change.in(entry.apiVersion))
    touched.push(...ownersOf([entry], changed))
  }
  return touched
}

/** Every path whose value differs between two states of an object, without what nobody owns. */
export function changedPaths(node: SchemaNode, before: JsonObject, after: JsonObject): FieldSet {
  return changedIn(compareTyped(node, before, after))
}

const changedIn = ({ added, modified, removed }: Comparison): FieldSet =>
  added.union(modified).union(removed).difference(unowned)
