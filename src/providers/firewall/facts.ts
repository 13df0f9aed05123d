// A table as the spec would say it: what is as declared is said in the spec's own words, everything
// else in words close to nft's. Pure. Order and completeness are fields of their own, because the
// order of rules means something and a rule too many is a difference.

import { sha256 } from "../../base/hash.ts"
import {
  at,
  canonicalJson,
  isArray,
  isObject,
  type Json,
  type JsonObject,
} from "../../base/json.ts"
import { canonicalText } from "./address.ts"
import { wrongWith } from "./check-spec.ts"
import { compileTable, idIn } from "./compile.ts"
import {
  type Dump,
  type DumpedRule,
  elementsOf,
  sameExpr,
  shapeOf,
  stillExpr,
  thingText,
} from "./dump.ts"
import { type FirewallSpec, firewallSpec } from "./firewall-spec.ts"
import { ruleText, valueText } from "./rule-text.ts"

/** `desired` with the fields that a difference needs; what was observed has them already. */
export function withOrder(value: JsonObject): JsonObject {
  const { contents, chains: given, sets: known, management } = value
  const whole = isObject(given) && isObject(known) && isArray(management)
  if (contents !== undefined || !whole) return value
  const spec = value as FirewallSpec
  if (wrongWith(spec) !== undefined) return value
  const compiled = compileTable(spec).rules
  const words = new Map(compiled.map((rule) => [`${rule.chain} ${idIn(rule.comment)}`, rule]))
  const chains = mapValues(spec.chains, (chain, name) => ({
    ...chain,
    rules: chain.rules.map((rule) => {
      const found = words.get(`${name} ${rule.id}`)
      return { ...rule, as: found === undefined ? "" : wordsOf(found) }
    }),
    order: chain.rules.map((rule) => rule.id),
  }))
  const sets = mapValues(spec.sets, (set) =>
    set.elements === undefined ? set : { ...set, elements: set.elements.map(canonicalText).sort() },
  )
  return { ...value, sets, chains, contents: contentsOf(Object.keys(sets), Object.keys(chains)) }
}

const contentsOf = (
  sets: Iterable<string>,
  chains: Iterable<string>,
  others: readonly string[] = [],
) =>
  [
    ...[...sets].map((name) => `set ${name}`),
    ...[...chains].map((name) => `chain ${name}`),
    ...others,
  ].sort()

function mapValues<T>(
  members: Readonly<Record<string, T>>,
  change: (value: T, name: string) => JsonObject,
): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, one]) => [name, change(one, name)]))
}

const wordsOf = (rule: { readonly expr: readonly Json[]; readonly comment?: string }): string =>
  `${ruleText(rule.expr)} "${rule.comment ?? ""}"`

/** A spec and the dump of it, made where nobody else touches it. */
export interface Form {
  readonly spec: FirewallSpec
  readonly normal: Dump
}

/** The spec in what a record remembers; undefined where it can't be had from that. */
export function specOf(applied: JsonObject): FirewallSpec | undefined {
  const { contents: _, chains, ...rest } = applied
  if (!isObject(chains)) return undefined
  const plain = Object.entries(chains).map(([name, chain]) => {
    const { order: _order, rules, ...shape } = isObject(chain) ? chain : {}
    const bare = isArray(rules)
      ? rules.map((rule) => {
          const { as: _as, ...own } = isObject(rule) ? rule : {}
          return own
        })
      : rules
    return [name, { ...shape, rules: bare }]
  })
  const parsed = firewallSpec.safeParse({ ...rest, chains: Object.fromEntries(plain) })
  return parsed.success && wrongWith(parsed.data) === undefined ? parsed.data : undefined
}

/** Said in the words of the first form that it is equal to: what is declared, what was applied. */
export function factsOf(desired: FirewallSpec, dump: Dump, forms: readonly Form[]): JsonObject {
  const { family, table, host, management, confirm } = desired
  const known = forms.map(({ spec, normal }) => ({ spec: withOrder({ ...spec }), normal }))
  const sets = [...dump.sets].map(([name, set]) => [name, setFacts(desired, name, set, forms)])
  const chains = [...dump.chains].map(([name, chain]) => [
    name,
    { ...chainShape(chain), ...rulesOf(name, dump, known) },
  ])
  return {
    ...{ family, table, host, management },
    ...(confirm === undefined ? {} : { confirm }),
    sets: Object.fromEntries(sets),
    chains: Object.fromEntries(chains),
    contents: contentsOf(dump.sets.keys(), dump.chains.keys(), dump.others.map(thingText)),
  }
}

function setFacts(
  desired: FirewallSpec,
  name: string,
  set: JsonObject,
  forms: readonly Form[],
): JsonObject {
  const shape = canonicalJson(shapeOf(set))
  const usual = forms.some(({ normal }) => shape === canonicalJson(shapeOf(normal.sets.get(name))))
  const type = usual ? String(set.type) : `${valueText(set.type)} ${JSON.stringify(set.flags)}`
  const wanted = Object.hasOwn(desired.sets, name) ? desired.sets[name] : undefined
  if (wanted !== undefined && wanted.elements === undefined) return { type }
  const elements = elementsOf(set).map((one) => canonicalText(valueText(one)))
  return { type, elements: elements.sort() }
}

function chainShape(chain: JsonObject): JsonObject {
  const { type, hook, prio, policy } = chain
  if (hook === undefined) return { priority: 0, policy: "accept" }
  const where = type === "filter" ? hook : `${String(type)} ${String(hook)}`
  return { hook: where, priority: prio ?? 0, policy: policy ?? "accept" }
}

interface KnownForm {
  readonly spec: JsonObject
  readonly normal: Dump
}

function rulesOf(
  chain: string,
  dump: Dump,
  forms: readonly KnownForm[],
): { readonly rules: readonly JsonObject[]; readonly order: readonly string[] } {
  const rules: JsonObject[] = []
  const order: string[] = []
  const seen = new Set<string>()
  const known = forms.map((form) => rulesIn(form, chain))
  for (const found of dump.rules.filter((rule) => rule.chain === chain)) {
    const id = idIn(found.comment)
    const own = known.map((form) => (id === undefined ? undefined : form.get(id)))
    const named = own.find((one) => one !== undefined)
    if (id === undefined || named === undefined || seen.has(id)) {
      order.push(`by hand: ${wordsOf(found)} (handle ${found.handle})`)
      continue
    }
    seen.add(id)
    order.push(id)
    const same = own.find((one) => one !== undefined && sameRule(found, one.normal))
    rules.push(same === undefined ? { ...named.rule, as: otherWords(found) } : same.rule)
  }
  return { rules, order }
}

/** By id: the rule as the spec says it and as nft keeps it. */
function rulesIn(
  { spec, normal }: KnownForm,
  chain: string,
): ReadonlyMap<string, { readonly rule: JsonObject; readonly normal: DumpedRule }> {
  const said = at(spec, "chains", chain, "rules")
  const rules = isArray(said) ? said.filter(isObject) : []
  const kept = new Map(
    normal.rules.filter((rule) => rule.chain === chain).map((rule) => [idIn(rule.comment), rule]),
  )
  return new Map(
    rules.flatMap((rule) => {
      const form = kept.get(String(rule.id))
      return form === undefined ? [] : [[String(rule.id), { rule, normal: form }] as const]
    }),
  )
}

export const sameRule = (left: DumpedRule, right: DumpedRule): boolean =>
  left.comment === right.comment && sameExpr(left.expr, right.expr)

/** Never equal to the words of a declared rule, also when both would read the same. */
const otherWords = (rule: DumpedRule): string =>
  `${wordsOf(rule)} (${sha256(canonicalJson([...stillExpr(rule.expr)])).slice(0, 8)})`
