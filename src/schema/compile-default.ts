// Turns a node into a closure that fills in defaults. Null in a member that can't be null counts as
// missing: it is dropped, then defaulted where there is a default. An unchanged value comes back as
// the same reference; defaults are frozen and shared.

import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import type { SchemaNode } from "./schema-node.ts"

export type Defaulter = (value: Json) => Json

/** Undefined when nothing below the node could ever change. */
export function compileDefaulter(node: SchemaNode): Defaulter | undefined {
  const object = node.type === undefined || node.type === "object" ? defaultObject(node) : undefined
  const list = node.type === undefined || node.type === "array" ? defaultList(node) : undefined
  if (object === undefined && list === undefined) return undefined
  return (value) => {
    if (isArray(value)) return list === undefined ? value : list(value)
    return object !== undefined && isObject(value) ? object(value) : value
  }
}

function freeze(value: Json): Json {
  if (typeof value !== "object" || value === null) return value
  for (const member of Object.values(value)) if (member !== undefined) freeze(member)
  return Object.freeze(value)
}

/** The default with the defaults of its own members filled in; undefined when there is none. */
function fullDefault(node: SchemaNode, below: Defaulter | undefined): Json | undefined {
  if (node.default === undefined) return undefined
  const own = structuredClone(node.default) as Json
  return freeze(below === undefined ? own : below(own))
}

function defaultList(node: SchemaNode) {
  const { items } = node
  if (items === undefined) return undefined
  const below = compileDefaulter(items)
  const fallback = items.nullable ? undefined : fullDefault(items, below)
  if (below === undefined && fallback === undefined) return undefined
  return (value: readonly Json[]): readonly Json[] => {
    let filled: Json[] | undefined
    for (let index = 0; index < value.length; index++) {
      const before = value[index] ?? null
      const base = before === null ? (fallback ?? before) : before
      const after = below === undefined || base === null ? base : below(base)
      if (after === before) continue
      filled ??= [...value]
      filled[index] = after
    }
    return filled ?? value
  }
}

interface Member {
  readonly name: string
  readonly nullable: boolean
  readonly fallback: Json | undefined
  readonly below: Defaulter | undefined
  readonly inherited: boolean
}

function memberOf(name: string, node: SchemaNode): Member {
  const below = compileDefaulter(node)
  const fallback = fullDefault(node, below)
  return { name, nullable: node.nullable, fallback, below, inherited: name in {} }
}

function defaultObject(node: SchemaNode) {
  const members: Member[] = []
  for (const [name, member] of node.properties) members.push(memberOf(name, member))
  const others = node.additional === undefined ? undefined : memberOf("", node.additional)
  if (members.length === 0 && others === undefined) return undefined
  return (value: JsonObject): JsonObject => {
    let filled: Record<string, Json | undefined> | undefined
    for (const member of members) {
      const { name, inherited } = member
      const before = inherited && !Object.hasOwn(value, name) ? undefined : value[name]
      const after = fill(member, before)
      if (after === before) continue
      filled ??= { ...value }
      if (after === undefined) delete filled[name]
      else filled[name] = after
    }
    if (others === undefined) return filled ?? value
    for (const name of Object.keys(value)) {
      const before = value[name]
      if (before === undefined || node.properties.has(name)) continue
      const after = fill(others, before)
      if (after === before) continue
      filled ??= { ...value }
      if (after === undefined) delete filled[name]
      else filled[name] = after
    }
    return filled ?? value
  }
}

function fill(member: Member, before: Json | undefined): Json | undefined {
  if (before === undefined) return member.fallback
  if (before === null) return member.nullable ? null : member.fallback
  return member.below === undefined ? before : member.below(before)
}
