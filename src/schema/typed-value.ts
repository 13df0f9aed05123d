// How a value divides into parts that can be compared, owned and merged one by one. Three-way diff,
// field sets and server-side apply all ask here, so that they can't disagree: maps divide by member
// unless atomic; lists marked map divide by key, lists marked set by value; the rest is one leaf.

import { isHashedValue } from "../base/hash.ts"
import { canonicalJson, isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import type { PathElement } from "../object/field-path.ts"
import { memberNode, type SchemaNode, untypedNode } from "./schema-node.ts"

export type Shape = "map" | "mapList" | "setList" | "leaf"

export interface Part {
  readonly element: PathElement
  readonly node: SchemaNode
  readonly value: Json
}

/** Parts by the FieldsV1 text of their element, in the order of the value. */
export type Parts = ReadonlyMap<string, Part>

export function shapeOf(node: SchemaNode, value: Json | undefined): Shape {
  if (isArray(value)) {
    if (node.listType === "atomic") return "leaf"
    return node.listType === "map" ? "mapList" : "setList"
  }
  if (!isObject(value) || isHashedValue(value) || node.mapType === "atomic") return "leaf"
  return node.type === undefined || node.type === "object" ? "map" : "leaf"
}

export const noParts: Parts = new Map()

export function memberParts(node: SchemaNode, value: JsonObject): Parts {
  const parts = new Map<string, Part>()
  for (const name of Object.keys(value)) {
    const member = value[name]
    if (member === undefined) continue
    parts.set(`f:${name}`, {
      element: { field: name },
      node: memberNode(node, name),
      value: member,
    })
  }
  return parts
}

export interface ListItem extends Part {
  readonly key: string
}

/** What names an item within its list; undefined when a key is missing. */
export function itemElement(node: SchemaNode, item: Json): PathElement | undefined {
  if (node.listType === "set") return { value: item }
  if (!isObject(item)) return undefined
  const key: Record<string, Json> = {}
  for (const name of node.listMapKeys) {
    const own = Object.hasOwn(item, name) ? item[name] : undefined
    const value = own ?? node.items?.properties.get(name)?.default
    if (value === undefined || value === null) return undefined
    key[name] = value
  }
  return { key }
}

export interface DividedList {
  readonly items: readonly ListItem[]
  /** The index of the first item that has no key or repeats one. */
  readonly flaw?: { readonly index: number; readonly cause: "missing key" | "duplicate" }
}

/** The items of a map or set list; flawed items are left out of `items`, the first one named. */
export function divideList(node: SchemaNode, list: readonly Json[]): DividedList {
  const items: ListItem[] = []
  const seen = new Set<string>()
  let flaw: DividedList["flaw"]
  const below = node.items ?? untypedNode
  for (const [index, value] of list.entries()) {
    const element = itemElement(node, value)
    const key = element === undefined ? undefined : listKey(element)
    if (element === undefined || key === undefined || seen.has(key)) {
      flaw ??= { index, cause: key === undefined ? "missing key" : "duplicate" }
      continue
    }
    seen.add(key)
    items.push({ key, element, node: below, value })
  }
  return flaw === undefined ? { items } : { items, flaw }
}

function listKey(element: PathElement): string {
  return "key" in element
    ? `k:${canonicalJson(element.key)}`
    : `v:${canonicalJson("value" in element ? element.value : null)}`
}

/** The parts of a value, or undefined when it is one leaf (also a list whose keys are flawed). */
export function partsOf(node: SchemaNode, value: Json | undefined): Parts | undefined {
  switch (shapeOf(node, value)) {
    case "map":
      return memberParts(node, value as JsonObject)
    case "leaf":
      return undefined
    default: {
      const { items, flaw } = divideList(node, value as readonly Json[])
      return flaw === undefined ? new Map(items.map((item) => [item.key, item])) : undefined
    }
  }
}

/** A copy with one member set; safe for every name. */
export function withMember(value: JsonObject, name: string, member: Json): JsonObject {
  return Object.fromEntries([...Object.entries(value), [name, member]])
}
