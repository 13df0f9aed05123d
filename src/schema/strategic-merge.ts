// Strategic merge patch: a merge patch that knows from the schema which lists merge by key, and
// that may carry directives ($patch, $retainKeys, $setElementOrder/...,
// $deleteFromPrimitiveList/...). Pure: the input is never changed. Only built-in kinds are patched
// so; others have no such marks.

import {
  canonicalJson,
  forbiddenKeys,
  isArray,
  isObject,
  type Json,
  type JsonObject,
} from "../base/json.ts"
import { memberNode, type SchemaNode, untypedNode } from "./schema-node.ts"

const marker = "$patch"
const retainKeys = "$retainKeys"
const orderPrefix = "$setElementOrder/"
const deletePrefix = "$deleteFromPrimitiveList/"

/** `malformed` when the patch itself makes no sense, whatever it would be applied to. */
export class StrategicPatchError extends Error {
  readonly malformed: boolean

  constructor(message: string, malformed = true) {
    super(message)
    this.malformed = malformed
  }
}

export function applyStrategicMerge(
  node: SchemaNode,
  original: JsonObject,
  patch: JsonObject,
): JsonObject {
  const directive = patch[marker]
  if (directive !== undefined) return directed(directive, patch)
  const merged = new Map(Object.entries(original))
  const left = new Map(Object.entries(patch))
  retain(merged, left)
  setOrders(node, merged, left)
  for (const [key, value] of left) {
    if (value === undefined) continue
    if (forbiddenKeys.has(key)) throw new StrategicPatchError(`the key "${key}" is forbidden`)
    if (key.startsWith(deletePrefix)) deleteFrom(merged, key.slice(deletePrefix.length), value)
    else if (value === null) merged.delete(key)
    else put(merged, key, mergeMember(memberNode(node, key), merged.get(key), value))
  }
  return Object.fromEntries(merged)
}

function put(into: Map<string, Json | undefined>, key: string, value: Json | undefined): void {
  if (value === undefined) into.delete(key)
  else into.set(key, value)
}

function directed(directive: Json, patch: JsonObject): JsonObject {
  if (directive === "delete") return {}
  if (directive !== "replace") throw unknownDirective(directive)
  const { [marker]: _, ...rest } = patch
  return rest
}

const unknownDirective = (directive: Json) =>
  new StrategicPatchError(`unknown patch type: ${canonicalJson(directive).slice(0, 80)}`)

function mergeMember(node: SchemaNode, before: Json | undefined, value: Json): Json | undefined {
  const { strategy } = marksOf(node)
  if (isObject(before) && isObject(value)) {
    return strategy === "replace" ? value : applyStrategicMerge(node, before, value)
  }
  if (isArray(before) && isArray(value)) {
    return strategy === "merge" ? mergeLists(node, before, value) : value
  }
  return plain(value)
}

interface Marks {
  readonly strategy: string
  /** What names an item; empty for lists of plain values. */
  readonly keys: readonly string[]
}

function marksOf(node: SchemaNode): Marks {
  const marked = node.source["x-kubernetes-patch-strategy"]
  const key = node.source["x-kubernetes-patch-merge-key"]
  if (typeof marked === "string") {
    const strategy = marked.split(",").find((one) => one !== "retainKeys") ?? ""
    return { strategy, keys: typeof key === "string" ? [key] : [] }
  }
  if (node.listType === "map") return { strategy: "merge", keys: node.listMapKeys }
  return { strategy: node.listType === "set" ? "merge" : "", keys: [] }
}

/** A value that is new: directives have nothing to work on, and nulls nothing to remove. */
function plain(value: Json): Json | undefined {
  if (isArray(value)) return value.map(plain).filter((item) => item !== undefined)
  if (!isObject(value)) return value
  if (value[marker] !== undefined) return undefined
  const members = Object.entries(value).flatMap(([key, member]) => {
    if (member === undefined || member === null || isDirective(key)) return []
    if (forbiddenKeys.has(key)) throw new StrategicPatchError(`the key "${key}" is forbidden`)
    const kept = plain(member)
    return kept === undefined ? [] : [[key, kept] as const]
  })
  return Object.fromEntries(members)
}

const isDirective = (key: string): boolean =>
  key === retainKeys || key.startsWith(orderPrefix) || key.startsWith(deletePrefix)

function retain(merged: Map<string, Json | undefined>, patch: Map<string, Json | undefined>): void {
  const kept = patch.get(retainKeys)
  if (kept === undefined) return
  patch.delete(retainKeys)
  if (!isArray(kept)) throw new StrategicPatchError("invalid patch format of retainKeys")
  for (const [key, value] of patch) {
    if (value === null || value === undefined || isDirective(key) || kept.includes(key)) continue
    throw new StrategicPatchError("invalid patch format of retainKeys")
  }
  for (const key of merged.keys()) if (!kept.includes(key)) merged.delete(key)
}

/** Lists whose order the patch states are merged here, and need no more merging. */
function setOrders(
  node: SchemaNode,
  merged: Map<string, Json | undefined>,
  patch: Map<string, Json | undefined>,
): void {
  for (const [directive, order] of [...patch]) {
    if (!directive.startsWith(orderPrefix)) continue
    patch.delete(directive)
    const key = directive.slice(orderPrefix.length)
    const before = merged.get(key)
    const changes = patch.get(key)
    const lists = [order, before ?? [], changes ?? []]
    const [wanted, live, patched] = lists.map((list) => (isArray(list) ? list : undefined))
    if (key === "" || wanted === undefined || live === undefined || patched === undefined) {
      throw new StrategicPatchError("invalid patch format of setElementOrder list")
    }
    const member = memberNode(node, key)
    const { keys } = marksOf(member)
    checkOrder(keys, patched, wanted)
    if (before === undefined && changes === undefined) continue
    const content = changes === undefined ? live : mergeMember(member, before, patched)
    patch.delete(key)
    merged.set(key, ordered(keys, isArray(content) ? content : [], wanted, live))
  }
}

function checkOrder(keys: readonly string[], patched: readonly Json[], wanted: readonly Json[]) {
  if (wanted.length === 0) return
  let next = 0
  for (const item of patched) {
    if (isObject(item) && item[marker] !== undefined) continue
    const id = identity(keys, item)
    while (next < wanted.length && identity(keys, wanted[next] ?? null) !== id) next++
    if (next++ >= wanted.length) {
      throw new StrategicPatchError("the order in the patch list doesn't match $setElementOrder")
    }
  }
}

function identity(keys: readonly string[], item: Json): string {
  if (keys.length === 0) return canonicalJson(item)
  if (!isObject(item)) throw new StrategicPatchError("a list of maps has an item that is none")
  const values = keys.map((key) => {
    const value = Object.hasOwn(item, key) ? item[key] : undefined
    // Of several keys some may be left to their default; one alone has to be there.
    if (value === undefined && keys.length === 1) {
      throw new StrategicPatchError(`map does not contain declared merge key: ${key}`)
    }
    return value ?? null
  })
  return canonicalJson(values)
}

function mergeLists(
  node: SchemaNode,
  live: readonly Json[],
  patch: readonly Json[],
): readonly Json[] {
  if (live.length === 0 && patch.length === 0) return live
  if ([...live, ...patch].some(isArray)) {
    throw new StrategicPatchError("lists of lists are not supported", false)
  }
  const maps = [...live, ...patch].filter(isObject).length
  if (maps > 0 && maps < live.length + patch.length) {
    throw new StrategicPatchError("list element types are not identical")
  }
  const { keys } = marksOf(node)
  if (maps === 0) return ordered([], unique([...live, ...patch]), patch, live)
  if (keys.length === 0) throw new StrategicPatchError("cannot merge lists without merge key")
  const { left, items } = specialItems(keys, live, patch)
  const merged = [...left]
  const places = new Map<string, number>()
  for (const [index, one] of left.entries()) {
    const id = isObject(one) ? identityOf(keys, one) : undefined
    if (id !== undefined && !places.has(id)) places.set(id, index)
  }
  for (const item of items) {
    const id = identity(keys, item)
    const at = places.get(id)
    const found = at === undefined ? undefined : merged[at]
    if (at !== undefined && isObject(found)) {
      merged[at] = applyStrategicMerge(node.items ?? untypedNode, found, item)
    } else {
      places.set(id, merged.length)
      merged.push(plain(item) ?? {})
    }
  }
  return ordered(keys, merged, items, left)
}

/** As identity, but a live item without its key is only never found. */
function identityOf(keys: readonly string[], item: JsonObject): string | undefined {
  return keys.some((key) => Object.hasOwn(item, key)) ? identity(keys, item) : undefined
}

/** Items that say what to do instead of what to be. */
function specialItems(keys: readonly string[], live: readonly Json[], patch: readonly Json[]) {
  const gone = new Set<string>()
  let replaced = false
  const items: JsonObject[] = []
  for (const item of patch) {
    if (!isObject(item)) continue
    const directive = item[marker]
    if (directive === undefined) items.push(item)
    else if (directive === "delete") gone.add(identity(keys, item))
    else if (directive === "replace") replaced = true
    else throw unknownDirective(directive)
  }
  if (replaced) return { left: items.map((item) => plain(item) ?? {}), items: [] }
  const left = live.filter((one) => !isObject(one) || !gone.has(identityOf(keys, one) ?? ""))
  return { left, items }
}

const unique = (list: readonly Json[]): Json[] => [
  ...new Map(list.map((item) => [canonicalJson(item), item])).values(),
]

/**
 * What the patch names comes in its order; what only the server has stays before the first of those
 * that followed it there.
 */
function ordered(
  keys: readonly string[],
  list: readonly Json[],
  order: readonly Json[],
  live: readonly Json[],
): readonly Json[] {
  const places = (items: readonly Json[]) => {
    const found = new Map<string, number>()
    for (const [index, item] of items.entries()) {
      const id = identity(keys, item)
      if (!found.has(id)) found.set(id, index)
    }
    return found
  }
  const [wanted, before] = [places(order), places(live)]
  const ranked = list.map((item) => ({ item, id: identity(keys, item) }))
  const by = (rank: ReadonlyMap<string, number>) => (a: { id: string }, b: { id: string }) =>
    (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0)
  const named = ranked.filter(({ id }) => wanted.has(id)).sort(by(wanted))
  const others = ranked.filter(({ id }) => !wanted.has(id)).sort(by(before))
  const result: Json[] = []
  let next = 0
  for (const { item, id } of named) {
    const place = before.get(id)
    for (let other = others[next]; other !== undefined && place !== undefined; ) {
      const at = before.get(other.id)
      if (at === undefined || at >= place) break
      result.push(other.item)
      other = others[++next]
    }
    result.push(item)
  }
  return [...result, ...others.slice(next).map(({ item }) => item)]
}

function deleteFrom(merged: Map<string, Json | undefined>, key: string, gone: Json): void {
  const list = merged.get(key)
  if (!isArray(list)) return
  if (!isArray(gone)) throw new StrategicPatchError("invalid patch format of primitive list")
  const values = new Set(gone.map((item) => canonicalJson(item)))
  merged.set(
    key,
    list.filter((item) => !values.has(canonicalJson(item))),
  )
}
