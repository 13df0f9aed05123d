// Finds the old value of an item of a list, and says whether a value is still the old one. Only
// items of map lists are found again: those of sets and atomic lists can't be told from new ones.

import { canonicalJson, equalJson, isArray, isObject, type Json } from "../base/json.ts"
import { memberNode, type SchemaNode, untypedNode } from "./schema-node.ts"

/** By the item and its place: two items may have one key where a list is broken already. */
export type FindOld = (item: Json, index: number) => Json | undefined

const nowhere: FindOld = () => undefined

export function correlate(node: SchemaNode, old: Json | undefined): FindOld {
  if (node.listType !== "map" || old === undefined || !isArray(old)) return nowhere
  const known = new Map<string, Json>()
  for (const item of old) {
    const key = keyOf(node, item)
    if (key !== undefined) known.set(key, item)
  }
  return (item, index) => {
    const here = old[index]
    if (here !== undefined && equalJson(here, item)) return here
    const key = keyOf(node, item)
    return key === undefined ? undefined : known.get(key)
  }
}

/** Equal, whatever order the items of map lists have. */
export function isUnchanged(node: SchemaNode, value: Json, old: Json): boolean {
  if (equalJson(value, old)) return true
  if (node === untypedNode) return false
  if (isArray(value)) {
    if (!isArray(old) || value.length !== old.length) return false
    const items = node.items ?? untypedNode
    const find = node.listType === "map" ? correlate(node, old) : undefined
    return value.every((item, index) => {
      const before = find === undefined ? old[index] : find(item, index)
      return before !== undefined && isUnchanged(items, item, before)
    })
  }
  if (!isObject(value) || !isObject(old)) return equalJson(value, old)
  const names = Object.keys(value).filter((name) => value[name] !== undefined)
  const before = Object.keys(old).filter((name) => old[name] !== undefined)
  if (names.length !== before.length) return false
  return names.every((name) => {
    const [now, then] = [value[name], Object.hasOwn(old, name) ? old[name] : undefined]
    if (now === undefined || then === undefined) return false
    return isUnchanged(memberNode(node, name), now, then)
  })
}

function keyOf({ listMapKeys, items }: SchemaNode, item: Json): string | undefined {
  if (!isObject(item)) return undefined
  return canonicalJson(
    listMapKeys.map((name) => {
      const own = Object.hasOwn(item, name) ? item[name] : undefined
      return own ?? items?.properties.get(name)?.default ?? null
    }),
  )
}
