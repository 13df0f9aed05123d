// From a checked spec to what nft is told, as its JSON (libnftables-json). Pure. Values become JSON
// values; no text is ever put together, so nothing in a spec can say more than its field says.

import type { Json, JsonObject } from "../../base/json.ts"
import { parseAddresses, parsePorts, prefixOf } from "./address.ts"
import { familyOf } from "./check-spec.ts"
import type { FirewallChain, FirewallRule, FirewallSet, FirewallSpec } from "./firewall-spec.ts"

/** In front of a rule's id in its comment. */
const mark = "setpoint:"

export const commentOf = ({ id, comment }: FirewallRule): string =>
  comment === undefined ? `${mark}${id}` : `${mark}${id} ${comment}`

/** The id in a rule's comment; undefined for rules that are not of our making. */
export function idIn(comment: string | undefined): string | undefined {
  if (comment?.startsWith(mark) !== true) return undefined
  return comment.slice(mark.length).split(" ", 1)[0]
}

export interface CompiledRule {
  readonly chain: string
  readonly comment: string
  readonly expr: readonly JsonObject[]
}

export interface CompiledTable {
  readonly sets: readonly JsonObject[]
  readonly chains: readonly JsonObject[]
  readonly rules: readonly CompiledRule[]
}

export function compileTable(spec: FirewallSpec): CompiledTable {
  const place = { family: spec.family, table: spec.table }
  const names = (members: object) => Object.keys(members).sort()
  return {
    sets: names(spec.sets).map((name) => ({ ...place, name, ...setOf(spec.sets[name]) })),
    chains: names(spec.chains).map((name) => ({ ...place, name, ...baseOf(spec.chains[name]) })),
    rules: names(spec.chains).flatMap((chain) =>
      (spec.chains[chain]?.rules ?? []).map((rule) => ({
        chain,
        comment: commentOf(rule),
        expr: expressionsOf(spec, rule),
      })),
    ),
  }
}

function setOf(set: FirewallSet | undefined): JsonObject {
  if (set === undefined) return {}
  const elem = (set.elements ?? []).map((text) => elementOf(text))
  // Those who keep a set's elements themselves mostly let them expire.
  const flags = set.elements === undefined ? ["interval", "timeout"] : ["interval"]
  const base = { type: set.type, flags }
  return elem.length === 0 ? base : { ...base, elem }
}

function baseOf(chain: FirewallChain | undefined): JsonObject {
  if (chain?.hook === undefined) return {}
  return { type: "filter", hook: chain.hook, prio: chain.priority, policy: chain.policy }
}

/** An address, prefix, range or port, as nft has it. */
function elementOf(text: string): Json {
  const ports = parsePorts(text)
  if (ports !== undefined) return ports[0] === ports[1] ? ports[0] : { range: [...ports] }
  if (parseAddresses(text) === undefined) throw new TypeError(`${text} was not checked`)
  const [from = "", to] = text.split("-")
  if (to !== undefined) return { range: [from, to] }
  const prefix = prefixOf(text)
  return prefix === undefined ? text : { prefix: { addr: prefix.base, len: prefix.length } }
}

function anyOf(given: readonly (string | number)[]): Json {
  const texts = given.map(String)
  const [first = ""] = texts
  if (first.startsWith("@")) return first
  return texts.length === 1 ? elementOf(first) : { set: texts.map(elementOf) }
}

const plain = (words: readonly string[]): Json =>
  words.length === 1 ? (words[0] ?? "") : { set: [...words] }

const match = (left: Json, right: Json, op = "=="): JsonObject => ({ match: { op, left, right } })
const payload = (protocol: string, field: string): Json => ({ payload: { protocol, field } })
const meta = (key: string): Json => ({ meta: { key } })

function expressionsOf(spec: FirewallSpec, rule: FirewallRule): readonly JsonObject[] {
  const found = familyOf(spec, rule)
  const family = found.kind === "family" ? found.family : undefined
  const out: JsonObject[] = []
  const { protocol, sources, destinations, ports, sourcePorts } = rule
  if (rule.inInterfaces !== undefined) out.push(match(meta("iifname"), plain(rule.inInterfaces)))
  if (rule.outInterfaces !== undefined) out.push(match(meta("oifname"), plain(rule.outInterfaces)))
  if (rule.state !== undefined) out.push(match({ ct: { key: "state" } }, [...rule.state], "in"))
  if (sources !== undefined) out.push(match(payload(family ?? "ip", "saddr"), anyOf(sources)))
  if (destinations !== undefined) {
    out.push(match(payload(family ?? "ip", "daddr"), anyOf(destinations)))
  }
  const bare = ports === undefined && sourcePorts === undefined && rule.icmpTypes === undefined
  if (protocol !== undefined && bare) {
    out.push(match(meta("l4proto"), protocol === "icmpv6" ? "ipv6-icmp" : protocol))
  }
  if (sourcePorts !== undefined)
    out.push(match(payload(protocol ?? "", "sport"), anyOf(sourcePorts)))
  if (ports !== undefined) out.push(match(payload(protocol ?? "", "dport"), anyOf(ports)))
  if (rule.icmpTypes !== undefined) {
    out.push(match(payload(protocol ?? "", "type"), plain(rule.icmpTypes)))
  }
  if (rule.limit !== undefined) out.push({ limit: { ...rule.limit } })
  if (rule.counter) out.push({ counter: { packets: 0, bytes: 0 } })
  if (rule.log !== undefined) out.push({ log: { ...rule.log } })
  return [...out, ...verdictOf(spec, rule)]
}

const refusals = { inet: "icmpx", ip: "icmp", ip6: "icmpv6" } as const

function verdictOf(
  { family }: FirewallSpec,
  { verdict, chain }: FirewallRule,
): readonly JsonObject[] {
  if (verdict === "continue") return []
  if (verdict === "jump") return [{ jump: { target: chain ?? "" } }]
  if (verdict === "reject")
    return [{ reject: { type: refusals[family], expr: "port-unreachable" } }]
  return [{ [verdict]: null }]
}

/** `add` of everything in the table, in an order in which each name is known when it is used. */
export function addAll(
  spec: Pick<FirewallSpec, "family" | "table">,
  table: CompiledTable,
): readonly JsonObject[] {
  const { family, table: name } = spec
  return [
    ...table.sets.map((set) => ({ add: { set } })),
    ...table.chains.map((chain) => ({ add: { chain } })),
    ...table.rules.map((rule) => ({
      add: { rule: { family, table: name, ...rule, expr: [...rule.expr] } },
    })),
  ]
}

/** What `nft -j -f -` takes. */
export const scriptOf = (commands: readonly JsonObject[]): string =>
  JSON.stringify({ nftables: commands })
