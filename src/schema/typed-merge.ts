// Field sets of values, and the merge, comparison and removal that work by them: the algebra under
// server-side apply. Never changes its inputs; an operation without effect returns its input.

import { equalJson, isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { elementKey, type FieldPath, type PathElement } from "../object/field-path.ts"
import { type Branch, FieldSet, FieldSetBuilder } from "../object/field-set.ts"
import { memberNode, type SchemaNode, untypedNode } from "./schema-node.ts"
import { itemElement, itemKeys, loosePartsOf, shapeOf } from "./typed-value.ts"
import { valueDepthMax } from "./validation-walk.ts"

/** The paths that a configuration states: leaves, items, entries of maps, what is empty. */
export function fieldSetOf(node: SchemaNode, value: Json): FieldSet {
  const parts = loosePartsOf(node, value)
  if (parts === undefined) return isNothing(node, value) ? FieldSet.empty : FieldSet.leaf
  const twice = isArray(value) ? repeatedKeys(node, value) : noKeys
  const branches = new Map<string, Branch>()
  for (const [key, part] of parts) {
    // Of items that are there twice nobody can say which one is meant: they are owned as a whole.
    const set = twice.has(key) ? FieldSet.leaf : fieldSetOf(part.node, part.value)
    const stated = set.member || isStated(node, part.element, part.value)
    const whole = FieldSet.make(stated, set.branches)
    if (!whole.isEmpty) branches.set(key, { element: part.element, set: whole })
  }
  return FieldSet.make(false, branches)
}

/** Null where a divided map or list could be; its parent states it. */
function isNothing(node: SchemaNode, value: Json): boolean {
  return value === null && dividedKind(node) !== undefined
}

const noKeys: ReadonlySet<string> = new Set()

function repeatedKeys(node: SchemaNode, list: readonly Json[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const key of itemKeys(node, list)) {
    if (key !== undefined && seen.has(key)) twice.add(key)
    if (key !== undefined) seen.add(key)
  }
  return twice
}

/** Declared members are stated by what is in them; entries, items, empty ones by themselves. */
function isStated(node: SchemaNode, element: FieldPath[number], value: Json): boolean {
  if (!("field" in element) || !node.properties.has(element.field)) return true
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
  if (set.branches.size === 0 || isUndescribed(node)) return set
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
  if (node.type === "array") return node.listType === "atomic"
  return node.type === "object" && node.mapType === "atomic"
}

/** Neither members nor entries are described: then the marks of such a map do not count either. */
function isUndescribed(node: SchemaNode): boolean {
  if (node.type === "array") return false
  return node.properties.size === 0 && (node.additional ?? untypedNode) === untypedNode
}

type Kind = "map" | "list" | "leaf"

/** What null stands for at this node: nothing of a map or of a list, or a leaf. */
function dividedKind(node: SchemaNode): "map" | "list" | undefined {
  if (node.intOrString) return undefined
  if (node.type === "array") return node.listType === "atomic" ? undefined : "list"
  const map = node.type === undefined || node.type === "object"
  return map && node.mapType !== "atomic" ? "map" : undefined
}

function kindOf(node: SchemaNode, value: Json): Kind {
  if (value === null) return dividedKind(node) ?? "leaf"
  const shape = shapeOf(node, value)
  if (shape === "leaf") return "leaf"
  return shape === "map" ? "map" : "list"
}

const isEmpty = (value: Json | undefined): boolean =>
  isArray(value) ? value.length === 0 : !isObject(value) || Object.keys(value).length === 0

/** The value with the configuration laid over it: its leaves win, everything else stays. */
export function mergeTyped(node: SchemaNode, live: Json | undefined, config: Json): Json {
  if (live === undefined) return config
  const kind = kindOf(node, config)
  const fits = kind === "map" ? isObject(live) : isArray(live)
  const former = kind !== "leaf" && fits && kindOf(node, live) === kind ? live : undefined
  if (kind === "leaf" || (isEmpty(former) && isEmpty(config))) {
    return equalJson(live, config) ? live : config
  }
  if (former === undefined) return config
  if (config === null) return live
  if (kind === "map") return mergeMaps(node, former as JsonObject, config as JsonObject)
  return mergeLists(node, former as readonly Json[], config as readonly Json[])
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

/** Configured items in their order; items that only live has stay where they were among them. */
function mergeLists(
  node: SchemaNode,
  live: readonly Json[],
  config: readonly Json[],
): readonly Json[] {
  const liveKeys = itemKeys(node, live)
  const configKeys = itemKeys(node, config)
  const wanted = new Set(configKeys)
  const twice = repeatedKeys(node, live)
  const places = new Map(liveKeys.map((key, index) => [key, index]))
  const shared = configKeys.filter((key) => key !== undefined && places.has(key))
  let nextShared = 0
  const placed = new Set<string | undefined>()
  const merged: Json[] = []
  const place = (index: number) => {
    const key = configKeys[index]
    const found = key === undefined || twice.has(key) ? undefined : places.get(key)
    const before = found === undefined ? undefined : live[found]
    merged.push(mergeTyped(node.items ?? untypedNode, before, config[index] ?? null))
    placed.add(key)
    if (shared[nextShared] === key) nextShared++
  }
  let [l, c] = [0, 0]
  while (l < live.length || c < config.length) {
    const key = liveKeys[l]
    const onlyLive = l < live.length && (key === undefined || !wanted.has(key))
    const same = l < live.length && c < config.length && key === configKeys[c]
    const awaited = shared[nextShared]
    const later = awaited !== undefined && awaited !== key && c < config.length
    if (onlyLive) merged.push(live[l++] ?? null)
    else if (same) {
      place(c++)
      l++
    } else if (l < live.length && (later || placed.has(key))) l++
    else place(c++)
  }
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

/** Undefined on one side: it came or went. */
function compareAt(
  found: Found,
  node: SchemaNode,
  path: FieldPath,
  before: Json | undefined,
  after: Json | undefined,
): void {
  // Validation refuses what is deeper; whoever asks before it must not overflow.
  if (before === after || path.length > valueDepthMax) return
  const former = before === undefined ? undefined : kindOf(node, before)
  const latter = after === undefined ? former : kindOf(node, after)
  const other = former !== undefined && former !== latter
  const whole = other ? compareAs(found, node, path, former, before, after) : false
  if (latter !== undefined && compareAs(found, node, path, latter, before, after)) return
  if (before === undefined) found.added.insert(path)
  else if (after === undefined && !whole) found.removed.insert(path)
}

/** True when the values were compared as a whole. */
function compareAs(
  found: Found,
  node: SchemaNode,
  path: FieldPath,
  kind: Kind,
  before: Json | undefined,
  after: Json | undefined,
): boolean {
  const fitting = (value: Json | undefined) => {
    const fits = kind === "map" ? isObject(value) : isArray(value)
    return value !== undefined && fits && kindOf(node, value) === kind ? value : undefined
  }
  const [former, latter] = [fitting(before), fitting(after)]
  if (kind === "leaf" || (isEmpty(former) && isEmpty(latter))) {
    if (before === undefined) found.added.insert(path)
    else if (after === undefined) found.removed.insert(path)
    else if (!equalJson(before, after)) found.modified.insert(path)
    return true
  }
  if (isArray(former) || isArray(latter)) {
    const none: readonly Json[] = []
    compareLists(
      found,
      node,
      path,
      isArray(former) ? former : none,
      isArray(latter) ? latter : none,
    )
    return false
  }
  // As maps: a member may be called toString.
  const was = new Map(Object.entries(isObject(former) ? former : {}))
  const is = new Map(Object.entries(isObject(latter) ? latter : {}))
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    const at = [...path, { field: name }]
    compareAt(found, memberNode(node, name), at, was.get(name), is.get(name))
  }
  return false
}

/** By key; items that are there twice are compared and named as one. */
function compareLists(
  found: Found,
  node: SchemaNode,
  path: FieldPath,
  before: readonly Json[],
  after: readonly Json[],
): void {
  const former = itemsByKey(node, before)
  const latter = itemsByKey(node, after)
  for (const [key, { element, items: was }] of new Map([...latter, ...former])) {
    const is = latter.get(key)?.items ?? []
    const had = former.get(key)?.items ?? []
    const at = [...path, element]
    const single = node.items ?? untypedNode
    if (had.length < 2 && is.length < 2) compareAt(found, single, at, had[0], is[0])
    else if (had.length > 1 && is.length > 1) {
      if (!equalJson(was, is)) found.modified.insert(at)
    } else if (had.length > 1) {
      if (is.length > 0) compareAt(found, single, at, undefined, is[0])
      found.removed.insert(at)
    } else {
      if (had.length > 0) compareAt(found, single, at, had[0], undefined)
      found.added.insert(at)
    }
  }
}

function itemsByKey(node: SchemaNode, list: readonly Json[]) {
  const byKey = new Map<string, { readonly element: PathElement; readonly items: Json[] }>()
  for (const item of list) {
    const element = itemElement(node, item)
    if (element === undefined) continue
    const key = elementKey(element)
    const same = byKey.get(key)
    if (same === undefined) byKey.set(key, { element, items: [item] })
    else same.items.push(item)
  }
  return byKey
}

/**
 * The value without the members of the set. What is emptied by that becomes null, unless somebody
 * owns it: who declares an empty map does not lose it because another one's entries went.
 */
export function removeItems(
  node: SchemaNode,
  value: Json,
  set: FieldSet,
  owned: FieldSet = FieldSet.empty,
): Json {
  if (set.branches.size === 0) return value
  const shape = shapeOf(node, value)
  if (shape === "leaf") return value
  if (shape === "map") return removeMembers(node, value as JsonObject, set, owned)
  const list = value as readonly Json[]
  const keys = itemKeys(node, list)
  let changed = false
  const left: Json[] = []
  for (const [index, item] of list.entries()) {
    const key = keys[index] ?? ""
    const below = set.below(key)
    if (below.member) {
      changed = true
      continue
    }
    const kept = removeItems(node.items ?? untypedNode, item, below, owned.below(key))
    if (kept !== item) changed = true
    left.push(kept)
  }
  if (!changed) return value
  return left.length === 0 && !owned.member ? null : left
}

function removeMembers(
  node: SchemaNode,
  value: JsonObject,
  set: FieldSet,
  owned: FieldSet,
): JsonObject | null {
  const left = new Map(Object.entries(value))
  let changed = false
  for (const [name, member] of left) {
    const key = `f:${name}`
    const below = set.below(key)
    if (below.isEmpty || member === undefined) continue
    const next = memberNode(node, name)
    const kept = below.member ? undefined : removeItems(next, member, below, owned.below(key))
    if (kept === member) continue
    changed = true
    if (kept === undefined) left.delete(name)
    else left.set(name, kept)
  }
  if (!changed) return value
  return left.size === 0 && !owned.member ? null : Object.fromEntries(left)
}
