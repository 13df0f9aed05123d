// What a Firewall's spec must say beyond what a schema can: names that are used exist, types and
// families fit, jumps end. Pure; answers with the first thing that is wrong, in words.

import { type AddressFamily, parseAddresses, parsePorts } from "./address.ts"
import {
  type FirewallChain,
  type FirewallRule,
  type FirewallSet,
  type FirewallSpec,
  isName,
} from "./firewall-spec.ts"

export function wrongWith(spec: FirewallSpec): string | undefined {
  for (const name of [...Object.keys(spec.sets), ...Object.keys(spec.chains)]) {
    if (!isName(name)) {
      return `"${name}" is not a name: use a-z, 0-9 and _, beginning with a letter, at most 31`
    }
  }
  for (const [name, set] of Object.entries(spec.sets)) {
    const wrong = wrongSet(spec, set)
    if (wrong !== undefined) return `sets.${name}: ${wrong}`
  }
  const leaving = chainsAfterRouting(spec)
  for (const [name, chain] of Object.entries(spec.chains)) {
    const wrong = wrongChain(spec, chain) ?? (leaving.has(name) ? wrongReject(chain) : undefined)
    if (wrong !== undefined) return `chains.${name}: ${wrong}`
  }
  for (const flow of spec.management) {
    if (parseAddresses(flow.from) === undefined || flow.from.includes("-")) {
      return `management: "${flow.from}" is neither an address nor a prefix`
    }
  }
  return circle(spec) ?? wrongProbe(spec)
}

function wrongSet({ family }: FirewallSpec, { type, elements = [] }: FirewallSet) {
  if (family === "ip" && type === "ipv6_addr") return "a table of family ip has no IPv6 addresses"
  if (family === "ip6" && type === "ipv4_addr") return "a table of family ip6 has no IPv4 addresses"
  const fits = (text: string) => {
    if (type === "inet_service") return parsePorts(text) !== undefined
    return parseAddresses(text)?.family === (type === "ipv4_addr" ? "ip" : "ip6")
  }
  const bad = elements.find((text) => !fits(text))
  return bad === undefined ? overlap(type, elements) : `"${bad}" is not of type ${type}`
}

/** nft merges or refuses overlapping elements; neither could be compared with what was written. */
function overlap(type: FirewallSet["type"], elements: readonly string[]): string | undefined {
  const ranges = elements.map((text) => {
    if (type !== "inet_service") {
      const range = parseAddresses(text)
      return { text, from: range?.from ?? 0n, to: range?.to ?? 0n }
    }
    const [from, to] = parsePorts(text) ?? [0, 0]
    return { text, from: BigInt(from), to: BigInt(to) }
  })
  ranges.sort((left, right) => (left.from < right.from ? -1 : 1))
  for (const [index, range] of ranges.entries()) {
    const before = ranges[index - 1]
    if (before !== undefined && range.from <= before.to) {
      return `"${before.text}" and "${range.text}" overlap`
    }
  }
  return undefined
}

function wrongChain(spec: FirewallSpec, chain: FirewallChain): string | undefined {
  if (chain.hook === undefined && (chain.policy !== "accept" || chain.priority !== 0)) {
    return "policy and priority are for chains with a hook"
  }
  for (const rule of chain.rules) {
    const wrong = wrongRule(spec, chain, rule)
    if (wrong !== undefined) return `rule ${rule.id}: ${wrong}`
  }
  return undefined
}

/** Those that packets come through after routing, also by jumps. */
function chainsAfterRouting({ chains }: FirewallSpec): ReadonlySet<string> {
  const found = new Set(Object.keys(chains).filter((name) => chains[name]?.hook === "postrouting"))
  for (const name of found) {
    for (const { chain } of chains[name]?.rules ?? []) if (chain !== undefined) found.add(chain)
  }
  return found
}

/** The kernel takes no such rule: nobody is told any more when a packet is about to leave. */
function wrongReject({ rules }: FirewallChain): string | undefined {
  const rule = rules.find(({ verdict }) => verdict === "reject")
  return rule && `rule ${rule.id}: reject is not possible in hook postrouting: use drop`
}

function wrongRule(
  spec: FirewallSpec,
  chain: FirewallChain,
  rule: FirewallRule,
): string | undefined {
  const { protocol, verdict } = rule
  if ((verdict === "jump") !== (rule.chain !== undefined)) return "jump and chain go together"
  if (rule.chain !== undefined) {
    const to = Object.hasOwn(spec.chains, rule.chain) ? spec.chains[rule.chain] : undefined
    if (to === undefined) return `there is no chain ${rule.chain}`
    if (to.hook !== undefined) return `chain ${rule.chain} has a hook and can't be jumped to`
  }
  const hasPorts = rule.ports !== undefined || rule.sourcePorts !== undefined
  if (hasPorts && protocol !== "tcp" && protocol !== "udp") return "ports need protocol tcp or udp"
  if (rule.icmpTypes !== undefined && protocol !== "icmp" && protocol !== "icmpv6") {
    return "icmpTypes need protocol icmp or icmpv6"
  }
  if (rule.outInterfaces !== undefined && /^(input|prerouting)$/.test(chain.hook ?? "")) {
    return `outInterfaces mean nothing in hook ${chain.hook}`
  }
  if (rule.inInterfaces !== undefined && /^(output|postrouting)$/.test(chain.hook ?? "")) {
    return `inInterfaces mean nothing in hook ${chain.hook}`
  }
  for (const given of [rule.ports, rule.sourcePorts]) {
    const wrong = given === undefined ? undefined : wrongPorts(spec, given.map(String))
    if (wrong !== undefined) return wrong
  }
  const family = familyOf(spec, rule)
  return family.kind === "wrong" ? family.cause : undefined
}

function wrongPorts(spec: FirewallSpec, given: readonly string[]): string | undefined {
  const set = given.find((text) => text.startsWith("@"))
  if (set === undefined) {
    const bad = given.find((text) => parsePorts(text) === undefined)
    return bad === undefined ? overlap("inet_service", given) : `"${bad}" is neither port nor range`
  }
  if (given.length > 1) return `${set} stands alone, or its elements are written out`
  return setOf(spec, set)?.type === "inet_service" ? undefined : `there is no set ${set} of ports`
}

const setOf = (spec: FirewallSpec, reference: string): FirewallSet | undefined => {
  const name = reference.slice(1)
  return Object.hasOwn(spec.sets, name) ? spec.sets[name] : undefined
}

export type RuleFamily =
  | { readonly kind: "family"; readonly family: AddressFamily | undefined }
  | { readonly kind: "wrong"; readonly cause: string }

/** The one address family that a rule speaks of, if it speaks of one. */
export function familyOf(spec: FirewallSpec, rule: FirewallRule): RuleFamily {
  const wrong = (cause: string): RuleFamily => ({ kind: "wrong", cause })
  let family: AddressFamily | undefined
  for (const given of [rule.sources, rule.destinations]) {
    for (const text of given ?? []) {
      const found = familyOfText(spec, text)
      if (found === undefined) return wrong(`"${text}" is neither an address nor a set of them`)
      if (text.startsWith("@") && (given?.length ?? 0) > 1) {
        return wrong(`${text} stands alone, or its elements are written out`)
      }
      if (family !== undefined && family !== found) {
        return wrong("it mixes IPv4 and IPv6; write one rule for each")
      }
      family = found
    }
    const written = (given ?? []).filter((text) => !text.startsWith("@"))
    const both = overlap(family === "ip" ? "ipv4_addr" : "ipv6_addr", written)
    if (both !== undefined) return wrong(both)
  }
  const spoken = { icmp: "ip", icmpv6: "ip6" } as const
  const asked =
    rule.protocol === "icmp" || rule.protocol === "icmpv6" ? spoken[rule.protocol] : undefined
  const all = [family, asked, spec.family === "inet" ? undefined : spec.family]
  const said = all.filter((one) => one !== undefined)
  if (new Set(said).size > 1) return wrong("it mixes IPv4 and IPv6 (addresses, protocol or table)")
  return { kind: "family", family }
}

function familyOfText(spec: FirewallSpec, text: string): AddressFamily | undefined {
  if (!text.startsWith("@")) return parseAddresses(text)?.family
  const type = setOf(spec, text)?.type
  if (type === "ipv4_addr") return "ip"
  return type === "ipv6_addr" ? "ip6" : undefined
}

function circle(spec: FirewallSpec): string | undefined {
  const ended = new Set<string>()
  const visit = (name: string, path: readonly string[]): string | undefined => {
    if (path.includes(name)) return `chains jump in a circle: ${[...path, name].join(" -> ")}`
    if (ended.has(name)) return undefined
    for (const { chain } of spec.chains[name]?.rules ?? []) {
      const found = chain === undefined ? undefined : visit(chain, [...path, name])
      if (found !== undefined) return found
    }
    ended.add(name)
    return undefined
  }
  for (const name of Object.keys(spec.chains)) {
    const found = visit(name, [])
    if (found !== undefined) return found
  }
  return undefined
}

function wrongProbe({ confirm }: FirewallSpec): string | undefined {
  if (confirm === undefined) return undefined
  const { tcp, http } = confirm.probe
  if ((tcp === undefined) === (http === undefined)) {
    return "confirm.probe: exactly one of tcp and http must be given"
  }
  const address = tcp === undefined ? undefined : parseAddresses(tcp.address)
  if (tcp !== undefined && (address === undefined || address.from !== address.to)) {
    return `confirm.probe.tcp: "${tcp.address}" is not an address`
  }
  return undefined
}
