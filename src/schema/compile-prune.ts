// Turns a node into a closure that drops the members its schema does not know, and says which. A
// value with nothing to drop comes back as the same reference.

import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import type { IssuePath } from "./issue.ts"
import { type SchemaNode, untypedNode } from "./schema-node.ts"

export interface PruneWalk {
  readonly path: (string | number)[]
  readonly unknown: IssuePath[]
}

export type Pruner = (value: Json, walk: PruneWalk) => Json

/** Undefined when nothing below the node could ever be dropped. */
export function compilePruner(node: SchemaNode): Pruner | undefined {
  if (node === untypedNode) return undefined
  const object = node.type === undefined || node.type === "object" ? pruneObject(node) : undefined
  const list = node.type === undefined || node.type === "array" ? pruneList(node) : undefined
  if (object === undefined && list === undefined) return undefined
  return (value, walk) => {
    if (isArray(value)) return list === undefined ? value : list(value, walk)
    return object !== undefined && isObject(value) ? object(value, walk) : value
  }
}

function pruneList(node: SchemaNode) {
  const item = node.items === undefined ? undefined : compilePruner(node.items)
  if (item === undefined) return undefined
  return (value: readonly Json[], walk: PruneWalk): readonly Json[] => {
    let pruned: Json[] | undefined
    for (let index = 0; index < value.length; index++) {
      const before = value[index] ?? null
      walk.path.push(index)
      const after = item(before, walk)
      walk.path.pop()
      if (after === before) continue
      pruned ??= [...value]
      pruned[index] = after
    }
    return pruned ?? value
  }
}

function pruneObject(node: SchemaNode) {
  const keepsOthers = node.preserveUnknown || node.additional !== undefined
  const others = node.additional === undefined ? undefined : compilePruner(node.additional)
  const members = new Map<string, Pruner | undefined>()
  for (const [name, member] of node.properties) members.set(name, compilePruner(member))
  const active = [...members.values()].some((member) => member !== undefined)
  if (keepsOthers && others === undefined && !active) return undefined
  return (value: JsonObject, walk: PruneWalk): JsonObject => {
    let pruned: Record<string, Json | undefined> | undefined
    for (const name in value) {
      const before = value[name]
      if (before === undefined) continue
      const known = members.has(name)
      walk.path.push(name)
      if (!known && !keepsOthers) {
        walk.unknown.push([...walk.path])
        pruned ??= { ...value }
        delete pruned[name]
      } else {
        const prune = known ? members.get(name) : others
        const after = prune === undefined ? before : prune(before, walk)
        if (after !== before) {
          pruned ??= { ...value }
          pruned[name] = after
        }
      }
      walk.path.pop()
    }
    return pruned ?? value
  }
}
