// What an applier stated last time and states no more goes, unless somebody else owns it. A
// declared member goes with all that nobody owns in it; an item goes with all that is in it.
// Each owner's fields are looked for in the version they were recorded in.

import { equalJson, type Json, type JsonObject } from "../base/json.ts"
import { type Branch, FieldSet } from "../object/field-set.ts"
import { type Owner, unowned } from "./managed-fields.ts"
import {
  converted,
  ObjectForms,
  pathNode,
  pathVersion,
  type Steps,
  type VersionedKind,
} from "./owner-versions.ts"
import type { SchemaNode } from "./schema-node.ts"
import { fieldSetOf, removeItems, withDeclaredMembers } from "./typed-merge.ts"
import { loosePartsOf } from "./typed-value.ts"

/** `owners`: everybody else, and the applier with what it states now. */
export function* dropUnstated(
  kind: VersionedKind,
  merged: JsonObject,
  former: Owner,
  owners: readonly Owner[],
): Steps<JsonObject> {
  const last = pathVersion(kind, former.entry.apiVersion)
  const owned = ownedByVersion(kind, last, owners)
  const forms = new ObjectForms(kind, merged)
  const node = pathNode(kind, last)
  const whole = yield* forms.in(last)
  const lastAll = withDeclaredMembers(node, former.set).difference(unowned)
  const bare = removeItems(node, whole, lastAll) as JsonObject
  const left = yield* broughtBack(kind, forms, last, bare, owned)
  const removal = allOf(node, whole).difference(allOf(node, left)).intersection(lastAll)
  if (removal.isEmpty) return merged
  // Owners in other versions keep what was emptied, too: what is left shows it as it is here.
  const ownedHere = (owned.get(last) ?? FieldSet.empty).union(emptyIn(node, left))
  if (last !== kind.apiVersion && kind.hasSamePaths) {
    // The version of its record may not know all that the object has: nothing of that is to go.
    const all = [...owned.values()].reduce((sum, set) => sum.union(set), ownedHere)
    return removeItems(kind.node, merged, removal, all) as JsonObject
  }
  const kept = removeItems(node, whole, removal, ownedHere) as JsonObject
  return last === kind.apiVersion ? kept : yield* converted(kept, kind.apiVersion)
}

/**
 * With what is owned in any version. An item that one version brings back may hold what another
 * one owns, so each is asked until none finds more; a webhook whose answers never settle, not for
 * ever.
 */
function* broughtBack(
  kind: VersionedKind,
  forms: ObjectForms,
  last: string,
  bare: JsonObject,
  owned: ReadonlyMap<string, FieldSet>,
): Steps<JsonObject> {
  let [left, place, settled] = [bare, last, 0]
  for (let round = 0; round < roundsMax && settled < owned.size; round++) {
    for (const [version, set] of owned) {
      if (settled === owned.size) break
      if (version !== place) left = yield* converted(left, version)
      place = version
      const more = withOwned(pathNode(kind, version), yield* forms.in(version), left, set)
      settled = equalJson(more, left) ? settled + 1 : 1
      left = more
    }
  }
  return place === last ? left : yield* converted(left, last)
}

const roundsMax = 4

/** Those of the last version first: a webhook may not be able to convert what lacks them. */
function ownedByVersion(
  kind: VersionedKind,
  last: string,
  owners: readonly Owner[],
): ReadonlyMap<string, FieldSet> {
  const sets = new Map([[last, FieldSet.empty]])
  for (const { entry, set } of owners) {
    const version = pathVersion(kind, entry.apiVersion)
    sets.set(version, (sets.get(version) ?? FieldSet.empty).union(set))
  }
  return sets
}

const allOf = (node: SchemaNode, object: JsonObject): FieldSet =>
  withDeclaredMembers(node, fieldSetOf(node, object))

/** What is left of the whole object, with what the set names of it. */
function withOwned(
  node: SchemaNode,
  whole: JsonObject,
  left: JsonObject,
  owned: FieldSet,
): JsonObject {
  const keep = allOf(node, left).union(withDeclaredMembers(node, owned))
  const removal = allOf(node, whole).difference(keep)
  return removeItems(node, whole, removal, owned.union(emptyIn(node, left))) as JsonObject
}

/** Which maps and lists hold nothing. */
function emptyIn(node: SchemaNode, value: Json): FieldSet {
  const parts = loosePartsOf(node, value)
  if (parts === undefined) return FieldSet.empty
  if (parts.size === 0) return FieldSet.leaf
  const branches = new Map<string, Branch>()
  for (const [key, { element, ...part }] of parts) {
    const set = emptyIn(part.node, part.value)
    if (!set.isEmpty) branches.set(key, { element, set })
  }
  return FieldSet.make(false, branches)
}
