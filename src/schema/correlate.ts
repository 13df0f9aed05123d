// Finds the old value of an item of a list. Only items of map lists have one: those of sets and
// atomic lists can't be told from new ones.

import { canonicalJson, isArray, isObject, type Json } from "../base/json.ts"
import type { SchemaNode } from "./schema-node.ts"

export type FindOld = (item: Json) => Json | undefined

const nowhere: FindOld = () => undefined

export function correlate(node: SchemaNode, old: Json | undefined): FindOld {
  if (node.listType !== "map" || old === undefined || !isArray(old)) return nowhere
  const known = new Map<string, Json>()
  for (const item of old) {
    const key = keyOf(node, item)
    if (key !== undefined) known.set(key, item)
  }
  return (item) => {
    const key = keyOf(node, item)
    return key === undefined ? undefined : known.get(key)
  }
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
