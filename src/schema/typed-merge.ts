// Field sets of values, and the merge, comparison and removal that work by them: the algebra under
// server-side apply. Never changes its inputs; an operation without effect returns its input.

import { equalJson, isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import type { FieldPath } from "../object/field-path.ts"
import { type Branch, FieldSet, FieldSetBuilder } from "../object/field-set.ts"
import { memberNode, type SchemaNode, untypedNode } from "./schema-node.ts"
import { itemKeys, loosePartsOf, type Parts, shapeOf } from "./typed-value.ts"
import { valueDepthMax } from "./validation-walk.ts"

/** The paths that a configuration states: leaves, items, entries of maps, what is empty. */
export function fieldSetOf(node: SchemaNode, value: Json): FieldSet {
  const parts = loosePartsOf(node, value)
  if (parts === undefined) return FieldSet.leaf
  const branches = new Map<string, Branch>()
  for (const [key, part] of parts) {
    const set = fieldSetOf(part.node, part.value)
    const stated = set.member || isStated(node, part.element, part.value)
    const whole = FieldSet.make(stated, set.branches)
    if (!whole.isEmpty) branches.set(key, { element: part.element, set: whole })
  }
  return FieldSet.make(false, branches)
}

/** Declared members are stated by what is in them; entries, items, empty ones by themselves. */
function isStated(node: SchemaNode, element: FieldPath[number], value: Json): boolean {
  if (!("field" in element) || !node.properties.has(element.field)) return true
  if (isArray(value)) return value.length === 0
  return value === null || (isObject(value) && Object.keys(value).length === 0)
}

/** Adds to every set with something below a declared member that member itself. */
export function withDeclaredMembers(node: SchemaNode, set: FieldSet): FieldSet {
  const branches = new Map<string, Branch>()
  for (const [key, { element, set: below }] of set.branches) {
    const declared = "field" in element && node.properties.has(element.field)
    const next = "field" in element ? memberNode(node, element.field) : (node.items ?? untypedNode)
    const inner = withDeclaredMembers(next, below)
    const member = inner.member || declared
    branches.set(key, { element, set: FieldSet.make(member, inner.branches) })
  }
  return FieldSet.make(set.member, branches)
}

/** A recorded set as the schema of today divides it: what became atomic is owned as a whole. */
export function conformSet(node: SchemaNode, set: FieldSet): FieldSet {
  if (set.branches.size === 0) return set
  if (isAtomic(node)) return FieldSet.leaf
  let branches: Map<string, Branch> | undefined
  for (const [key, { element, set: below }] of set.branches) {
    const next = "field" in element ? memberNode(node, element.field) : (node.items ?? untypedNode)
    const conformed = conformSet(next, below)
    if (conformed === below) continue
    branches ??= new Map(set.branches)
    branches.set(key, { element, set: conformed })
  }
  return branches === undefined ? set : FieldSet.make(set.member, branches)
}

function isAtomic(node: SchemaNode): boolean {
  if (node.type === "object") return node.mapType === "atomic"
  if (node.type === "array") return node.listType === "atomic"
  return node.type !== undefined || node.intOrString
}

/** The value with the configuration laid over it: its leaves win, everything else stays. */
export function mergeTyped(node: SchemaNode, live: Json | undefined, config: Json): Json {
  if (live === undefined) return config
  const shape = shapeOf(node, config)
  if (shape === "leaf" || shapeOf(node, live) !== shape) {
    return equalJson(live, config) ? live : config
  }
  if (shape === "map") return mergeMaps(node, live as JsonObject, config as JsonObject)
  return mergeLists(node, live as readonly Json[], config as readonly Json[])
}

function mergeMaps(node: SchemaNode, live: JsonObject, config: JsonObject): JsonObject {
  const merged = new Map(Object.entries(live))
  let changed = false
  for (const name of Object.keys(config)) {
    const stated = config[name]
    if (stated === undefined) continue
    const before = merged.get(name)
    const after = mergeTyped(memberNode(node, name), before, stated)
    if (after === before) continue
    merged.set(name, after)
    changed = true
  }
  return changed ? Object.fromEntries(merged) : live
}

/** Configured items keep their order; items that only live has stay before what followed them. */
function mergeLists(
  node: SchemaNode,
  live: readonly Json[],
  config: readonly Json[],
): readonly Json[] {
  const liveKeys = itemKeys(node, live)
  const configKeys = itemKeys(node, config)
  const wanted = new Set(configKeys)
  const merged: Json[] = []
  const placed = new Set<string>()
  let next = 0
  const placeLiveOnly = () => {
    for (; next < live.length; next++) {
      const key = liveKeys[next]
      if (key === undefined || !wanted.has(key)) merged.push(live[next] ?? null)
      else if (!placed.has(key)) return
    }
  }
  for (const [index, item] of config.entries()) {
    placeLiveOnly()
    const key = configKeys[index]
    const found = key === undefined ? -1 : liveKeys.indexOf(key)
    merged.push(mergeTyped(node.items ?? untypedNode, found < 0 ? undefined : live[found], item))
    if (key !== undefined) placed.add(key)
  }
  placeLiveOnly()
  const same = merged.length === live.length && merged.every((item, at) => item === live[at])
  return same ? live : merged
}

export interface Comparison {
  readonly added: FieldSet
  readonly removed: FieldSet
  readonly modified: FieldSet
}

/** Which paths differ; a container that came or went whole is named along with what is in it. */
export function compareTyped(node: SchemaNode, before: Json, after: Json): Comparison {
  const found = {
    added: new FieldSetBuilder(),
    removed: new FieldSetBuilder(),
    modified: new FieldSetBuilder(),
  }
  compareAt(found, node, [], before, after)
  const { added, removed, modified } = found
  return { added: added.build(), removed: removed.build(), modified: modified.build() }
}

interface Found {
  readonly added: FieldSetBuilder
  readonly removed: FieldSetBuilder
  readonly modified: FieldSetBuilder
}

function compareAt(found: Found, node: SchemaNode, path: FieldPath, before: Json, after: Json) {
  if (before === after) return
  const former = loosePartsOf(node, before)
  const latter = loosePartsOf(node, after)
  if (former === undefined || latter === undefined || isArray(before) !== isArray(after)) {
    if (equalJson(before, after)) return
    found.modified.insert(path)
    insertParts(found.removed, former, path)
    insertParts(found.added, latter, path)
    return
  }
  for (const [key, part] of former) {
    const now = latter.get(key)
    const below = [...path, part.element]
    if (now === undefined) insertAll(found.removed, part.node, part.value, below)
    else compareAt(found, part.node, below, part.value, now.value)
  }
  for (const [key, part] of latter) {
    if (former.has(key)) continue
    insertAll(found.added, part.node, part.value, [...path, part.element])
  }
}

function insertAll(into: FieldSetBuilder, node: SchemaNode, value: Json, path: FieldPath): void {
  into.insert(path)
  // Validation refuses what is deeper; whoever asks before it must not overflow.
  if (path.length < valueDepthMax) insertParts(into, loosePartsOf(node, value), path)
}

function insertParts(into: FieldSetBuilder, parts: Parts | undefined, path: FieldPath): void {
  if (parts === undefined) return
  for (const part of parts.values()) {
    insertAll(into, part.node, part.value, [...path, part.element])
  }
}

/** The value without the members of the set; what is emptied by that stays as an empty value. */
export function removeItems(node: SchemaNode, value: Json, set: FieldSet): Json {
  if (set.branches.size === 0) return value
  const shape = shapeOf(node, value)
  if (shape === "leaf") return value
  if (shape === "map") return removeMembers(node, value as JsonObject, set)
  const list = value as readonly Json[]
  const keys = itemKeys(node, list)
  let changed = false
  const left: Json[] = []
  for (const [index, item] of list.entries()) {
    const below = set.below(keys[index] ?? "")
    if (below.member) {
      changed = true
      continue
    }
    const kept = removeItems(node.items ?? untypedNode, item, below)
    if (kept !== item) changed = true
    left.push(kept)
  }
  return changed ? left : list
}

function removeMembers(node: SchemaNode, value: JsonObject, set: FieldSet): JsonObject {
  const left = new Map(Object.entries(value))
  let changed = false
  for (const [name, member] of left) {
    const below = set.below(`f:${name}`)
    if (below.isEmpty || member === undefined) continue
    const kept = below.member ? undefined : removeItems(memberNode(node, name), member, below)
    if (kept === member) continue
    changed = true
    if (kept === undefined) left.delete(name)
    else left.set(name, kept)
  }
  return changed ? Object.fromEntries(left) : value
}
