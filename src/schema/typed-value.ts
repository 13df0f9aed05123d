// How a value divides into parts that can be compared, owned and merged one by one. Three-way diff,
// field sets and server-side apply all ask here, so that they can't disagree: maps divide by member
// unless atomic; lists marked map divide by key, lists marked set by value; the rest is one leaf.

import { isHashedValue } from "../base/hash.ts"
import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { elementKey, type PathElement } from "../object/field-path.ts"
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

/** The FieldsV1 text of each item's element, in order; undefined for an item without its keys. */
export function itemKeys(node: SchemaNode, list: readonly Json[]): readonly (string | undefined)[] {
  return list.map((item) => {
    const element = itemElement(node, item)
    return element === undefined ? undefined : elementKey(element)
  })
}

/** The index of the first item of a map or set list that has no key or repeats one. */
export function flawOf(node: SchemaNode, list: readonly Json[]): number | undefined {
  const seen = new Set<string>()
  for (const [index, key] of itemKeys(node, list).entries()) {
    if (key === undefined || seen.has(key)) return index
    seen.add(key)
  }
  return undefined
}

function itemParts(node: SchemaNode, list: readonly Json[]): Parts {
  const parts = new Map<string, Part>()
  for (const value of list) {
    const element = itemElement(node, value)
    if (element === undefined) continue
    const key = elementKey(element)
    if (!parts.has(key)) parts.set(key, { element, node: node.items ?? untypedNode, value })
  }
  return parts
}

/** The parts of a value, or undefined when it is one leaf (also a list whose keys are flawed). */
export function partsOf(node: SchemaNode, value: Json | undefined): Parts | undefined {
  const parts = loosePartsOf(node, value)
  return isArray(value) && parts?.size !== value.length ? undefined : parts
}

/** The same, but a flawed list divides too: the first item of each key stands for it. */
export function loosePartsOf(node: SchemaNode, value: Json | undefined): Parts | undefined {
  const shape = shapeOf(node, value)
  if (shape === "leaf") return undefined
  if (shape === "map") return memberParts(node, value as JsonObject)
  return itemParts(node, value as readonly Json[])
}
