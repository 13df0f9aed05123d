// Puts one value at one path of a document, or takes it away: how single differences are applied
// or left out. Never changes its input.

import { isArray, isObject, type Json } from "../../base/json.ts"
import { elementKey, type FieldPath } from "../../object/field-path.ts"
import { memberNode, type SchemaNode, untypedNode } from "../schema-node.ts"
import { itemKeys } from "../typed-value.ts"

/** Undefined as the new value removes; missing maps and lists on the way are made. */
export function putAt(
  node: SchemaNode,
  value: Json | undefined,
  path: FieldPath,
  after: Json | undefined,
): Json | undefined {
  const [element, ...rest] = path
  if (element === undefined) return after
  if (value === undefined && after === undefined) return undefined
  if ("field" in element) {
    const { field } = element
    const members = new Map(isObject(value) ? Object.entries(value) : [])
    const member = putAt(memberNode(node, field), members.get(field), rest, after)
    if (member === undefined) members.delete(field)
    else members.set(field, member)
    return Object.fromEntries(members)
  }
  const items = isArray(value) ? [...value] : []
  const found =
    "index" in element ? element.index : itemKeys(node, items).indexOf(elementKey(element))
  const at = found < 0 ? items.length : Math.min(found, items.length)
  const item = putAt(node.items ?? untypedNode, items[at], rest, after)
  items.splice(at, 1, ...(item === undefined ? [] : [item]))
  return items
}
