// The ownership records of an object (metadata.managedFields) as field sets, and back. Entries that
// did not change come back as they were, so that an unchanged object stays unchanged.

import { type FieldPath, pathText } from "../object/field-path.ts"
import { type Branch, FieldSet } from "../object/field-set.ts"
import type { ManagedFieldsEntry } from "../object/object.ts"
import { type SchemaNode, untypedNode } from "./schema-node.ts"
import { conformSet } from "./typed-merge.ts"

export interface Owner {
  readonly entry: ManagedFieldsEntry
  readonly set: FieldSet
  /** What `entry.fieldsV1` says; the entry stands as it is while this is still the set. */
  readonly stored?: FieldSet
}

/** Owners by identity: manager, operation, subresource and, for updates, the version. */
export type Owners = ReadonlyMap<string, Owner>

export type OwnerName = Pick<
  ManagedFieldsEntry,
  "manager" | "operation" | "apiVersion" | "subresource" | "time"
>

export function ownerId(name: OwnerName): string {
  // An applier keeps its entry over versions: its next apply must find what the last one stated.
  const version = name.operation === "Apply" ? "" : name.apiVersion
  return JSON.stringify([name.operation, name.manager, version, name.subresource ?? ""])
}

/**
 * Throws SPT-OBJECT-001 when an entry is not readable; emptied entries are left out. `nodeOf` is
 * the schema of an entry's version.
 */
export function readOwners(
  managedFields: readonly ManagedFieldsEntry[],
  nodeOf: (apiVersion: string) => SchemaNode = () => untypedNode,
): Map<string, Owner> {
  const owners = new Map<string, Owner>()
  for (const entry of managedFields) {
    const stored = FieldSet.fromFieldsV1(entry.fieldsV1 ?? {})
    const set = conformSet(nodeOf(entry.apiVersion), stored)
    if (set.isEmpty) continue
    const id = ownerId(entry)
    const same = owners.get(id)?.set
    owners.set(id, same === undefined ? { entry, set, stored } : { entry, set: same.union(set) })
  }
  return owners
}

/** The owner with another set, and the time at which that happened. */
export function ownerWith(name: OwnerName, set: FieldSet): Owner {
  const { manager, operation, apiVersion, time, subresource } = name
  const entry: ManagedFieldsEntry = {
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: {},
    ...(subresource === undefined ? {} : { subresource }),
  }
  return { entry, set }
}

/** As stored: sorted, and without empty entries. */
export function writeOwners(owners: Iterable<Owner>): readonly ManagedFieldsEntry[] {
  const entries = [...owners]
    .filter(({ set }) => !set.isEmpty)
    .map(({ entry, set, stored }) =>
      set === stored ? entry : { ...entry, fieldsV1: set.toFieldsV1() },
    )
  return entries.sort(byAge)
}

function byAge(left: ManagedFieldsEntry, right: ManagedFieldsEntry): number {
  const texts = ({ operation, time, manager, apiVersion, subresource }: ManagedFieldsEntry) => [
    operation,
    time ?? "",
    manager,
    apiVersion,
    subresource ?? "",
  ]
  const theirs = texts(right)
  for (const [index, text] of texts(left).entries()) {
    const other = theirs[index] ?? ""
    if (text !== other) return text < other ? -1 : 1
  }
  return 0
}

const updatersMax = 10

/** The oldest updaters of a version become one until ten are left, as Kubernetes names it. */
export function capUpdaters(owners: readonly Owner[]): readonly Owner[] {
  const filled = owners.filter(({ set }) => !set.isEmpty)
  const updaters = filled.filter(({ entry }) => entry.operation === "Update")
  let excess = updaters.length - updatersMax
  if (excess <= 0) return filled
  const left = new Set(filled)
  const oldest = new Map<string, Owner>()
  for (const owner of updaters.toSorted((a, b) => byAge(a.entry, b.entry))) {
    const { apiVersion, time } = owner.entry
    const first = oldest.get(apiVersion)
    if (first !== undefined && excess > 0) {
      const name: OwnerName = { manager: "ancient-changes", operation: "Update", apiVersion }
      const timed = time === undefined ? name : { ...name, time }
      const merged = ownerWith(timed, first.set.union(owner.set))
      left.delete(first)
      left.delete(owner)
      left.add(merged)
      oldest.set(apiVersion, merged)
      excess--
    } else if (first === undefined) oldest.set(apiVersion, owner)
  }
  return [...left]
}

/** Who owns which of the paths. */
export function ownersOf(
  managedFields: readonly ManagedFieldsEntry[],
  paths: FieldSet,
): readonly { readonly manager: string; readonly operation: string; readonly path: string }[] {
  const found: { manager: string; operation: string; path: string }[] = []
  for (const { entry, set } of readOwners(managedFields).values()) {
    for (const path of touchedOf(set, paths).leaves()) {
      found.push({ manager: entry.manager, operation: entry.operation, path: pathText(path) })
    }
  }
  return found
}

/** What of the set lies in the paths, or below one that is a leaf there: it changed as a whole. */
function touchedOf(set: FieldSet, paths: FieldSet): FieldSet {
  if (paths.member && paths.branches.size === 0 && !set.isEmpty) return FieldSet.leaf
  const branches = new Map<string, Branch>()
  for (const [key, { element, set: below }] of set.branches) {
    const touched = touchedOf(below, paths.below(key))
    if (!touched.isEmpty) branches.set(key, { element, set: touched })
  }
  return FieldSet.make(set.member && paths.member, branches)
}

const fields = (...names: readonly string[]): FieldPath => names.map((field) => ({ field }))

/** What nobody owns: identity and what the server writes. */
export const unowned = FieldSet.of(
  fields("apiVersion"),
  fields("kind"),
  fields("metadata"),
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => fields("metadata", name)),
)

/** What a configuration can't set; the verbs read them from it as preconditions. */
export const serverFields = FieldSet.of(
  ...[
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
    "uid",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => fields("metadata", name)),
)
