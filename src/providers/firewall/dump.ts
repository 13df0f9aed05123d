// What `nft -j list table` answers, as values: sets, chains and rules with their handles. Pure. The
// token is a hash over the text itself without what changes by itself (counters, ages), so that a
// shell can make the same one right before it acts.

import { sha256 } from "../../base/hash.ts"
import {
  at,
  canonicalJson,
  isArray,
  isObject,
  type Json,
  type JsonObject,
} from "../../base/json.ts"

export interface DumpedRule {
  readonly chain: string
  readonly handle: number
  readonly comment?: string
  readonly expr: readonly Json[]
}

/** A map, counter, flow table ...: something that we never make, as nft printed it. */
export interface ForeignThing {
  /** As nft calls it: `counter`, `ct helper`. */
  readonly kind: string
  readonly value: JsonObject
}

export interface Dump {
  readonly handle: number
  readonly sets: ReadonlyMap<string, JsonObject>
  readonly chains: ReadonlyMap<string, JsonObject>
  readonly rules: readonly DumpedRule[]
  readonly others: readonly ForeignThing[]
  readonly token: string
}

/** The same two substitutions as in `tokenScript`; nft prints exactly these spaces. */
export function tokenOf(text: string): string {
  const still = text
    .replace(/"packets": [0-9]+, "bytes": [0-9]+/g, "")
    .replace(/"expires": [0-9]+/g, "")
  return sha256(still.endsWith("\n") ? still : `${still}\n`)
}

/** In words what is wrong with the answer, when it is not a whole dump of one table. */
export function parseDump(text: string): Dump | string {
  let answer: Json
  try {
    answer = JSON.parse(text) as Json
  } catch {
    return "nft did not answer with JSON"
  }
  const listed = at(answer, "nftables")
  if (!isArray(listed)) return "nft answered something else than a list"
  const sets = new Map<string, JsonObject>()
  const chains = new Map<string, JsonObject>()
  const rules: DumpedRule[] = []
  const others: ForeignThing[] = []
  let handle: number | undefined
  for (const entry of listed) {
    const [kind, value] = isObject(entry) ? (Object.entries(entry)[0] ?? []) : []
    if (kind === "metainfo") continue
    if (kind === undefined || !isObject(value)) return "nft listed something that has no name"
    if (kind === "table") handle = Number(value.handle)
    else if (kind === "set") sets.set(String(value.name), value)
    else if (kind === "chain") chains.set(String(value.name), value)
    else if (kind === "rule") rules.push(ruleOf(value))
    else others.push({ kind, value })
  }
  if (handle === undefined) return "nft listed no table"
  return { handle, sets, chains, rules, others, token: tokenOf(text) }
}

function ruleOf(value: JsonObject): DumpedRule {
  const { chain, handle, comment, expr } = value
  return {
    chain: String(chain),
    handle: Number(handle),
    ...(typeof comment === "string" ? { comment } : {}),
    expr: isArray(expr) ? expr : [],
  }
}

export const thingText = ({ kind, value }: ForeignThing): string => `${kind} ${String(value.name)}`

/** A counter that is the rule's own; one with a name is something else in the table. */
function isOwnCounter(one: Json): boolean {
  const counter = at(one, "counter")
  return counter === null || (isObject(counter) && "packets" in counter)
}

/** The expressions without what packets change. */
export function stillExpr(expr: readonly Json[]): readonly Json[] {
  return expr.map((one) => (isOwnCounter(one) ? { counter: null } : one))
}

export const sameExpr = (left: readonly Json[], right: readonly Json[]): boolean =>
  canonicalJson([...stillExpr(left)]) === canonicalJson([...stillExpr(right)])

/** An element with a timeout is itself, whatever is left of its time. */
export function elementsOf(set: JsonObject | undefined): readonly Json[] {
  return isArray(set?.elem) ? set.elem : []
}

/** The counter of a rule, as it was when it was read. */
export function counterOf(expr: readonly Json[]): Json | undefined {
  return expr.find(isOwnCounter)
}

/** Everything that a dump says of a chain or set besides its elements, handle and place. */
export function shapeOf(value: JsonObject | undefined): JsonObject {
  if (value === undefined) return {}
  const { handle: _handle, elem: _elem, family: _family, table: _table, ...rest } = value
  return rest
}
