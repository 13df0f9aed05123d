// The atomic transactions that nft is given, made from what was declared and what was read. Pure.
// A change first deletes by handle each rule that was read: if one of them is not there any more,
// the kernel refuses all of it.

import { isObject, type Json, type JsonObject } from "../../base/json.ts"
import { addAll, type CompiledTable, compileTable, idIn, scriptOf } from "./compile.ts"
import { counterOf, type Dump, elementsOf, shapeOf } from "./dump.ts"
import { sameRule } from "./facts.ts"
import type { FirewallSpec } from "./firewall-spec.ts"

type Place = Pick<FirewallSpec, "family" | "table">

const tableOf = ({ family, table }: Place): JsonObject => ({ table: { family, name: table } })

/** Fails where the table exists: never takes over what somebody else made. */
export function createScript(spec: FirewallSpec): string {
  return scriptOf([{ create: tableOf(spec) }, ...addAll(spec, compileTable(spec))])
}

export function updateScript(spec: FirewallSpec, found: Dump, normal: Dump): string {
  const table = keepState(spec, compileTable(spec), found, normal)
  return scriptOf([...takeAway(spec, found), { add: tableOf(spec) }, ...addAll(spec, table)])
}

export function deleteScript(spec: FirewallSpec, found: Dump): string {
  return scriptOf(takeAway(spec, found))
}

/**
 * Puts back what was found, or nothing, whatever is there by then. What others put into the table
 * comes back as well: their rules need it, and one that is refused refuses all of it. Maps stand
 * after chains and everything else before, since the elements of maps may name both.
 */
export function restoreScript(spec: Place, found: Dump | undefined): string {
  const gone = [{ add: tableOf(spec) }, { delete: tableOf(spec) }]
  if (found === undefined) return scriptOf(gone)
  const { family, table } = spec
  const plain = ({ handle: _, ...rest }: JsonObject): JsonObject => rest
  const things = (areMaps: boolean) =>
    found.others
      .filter(({ kind }) => (kind === "map") === areMaps)
      .map(({ kind, value }) => ({ add: { [kind]: plain(value) } }))
  return scriptOf([
    ...gone,
    { add: tableOf(spec) },
    ...things(false),
    ...[...found.sets.values()].map((set) => ({ add: { set: plain(set) } })),
    ...[...found.chains.values()].map((chain) => ({ add: { chain: plain(chain) } })),
    ...things(true),
    ...found.rules.map(({ handle: _, ...rule }) => ({ add: { rule: { family, table, ...rule } } })),
  ])
}

function takeAway({ family, table }: Place, found: Dump): readonly JsonObject[] {
  const rules = found.rules.map(({ chain, handle }) => ({
    delete: { rule: { family, table, chain, handle } },
  }))
  return [...rules, { delete: { table: { family, name: table } } }]
}

/** Counters of rules that stay, and elements of sets that others fill, are as they were read. */
function keepState(
  spec: FirewallSpec,
  table: CompiledTable,
  found: Dump,
  normal: Dump,
): CompiledTable {
  const rules = table.rules.map((rule) => {
    const id = idIn(rule.comment)
    const isIt = (one: { readonly chain: string; readonly comment?: string }) =>
      one.chain === rule.chain && idIn(one.comment) === id
    const [old, form] = [found.rules.find(isIt), normal.rules.find(isIt)]
    if (old === undefined || form === undefined || !sameRule(old, form)) return rule
    const counter = counterOf(old.expr)
    const keep = (one: JsonObject): JsonObject =>
      "counter" in one && isObject(counter) ? counter : one
    return { ...rule, expr: rule.expr.map(keep) }
  })
  const sets = table.sets.map((set) => {
    const name = String(set.name)
    if (spec.sets[name]?.elements !== undefined) return set
    const old = found.sets.get(name)
    const same = shapeText(old) === shapeText(normal.sets.get(name))
    const elem: readonly Json[] = same ? elementsOf(old) : []
    return elem.length === 0 ? set : { ...set, elem }
  })
  return { ...table, sets, rules }
}

const shapeText = (set: JsonObject | undefined): string => JSON.stringify(shapeOf(set))
