// What our own rules would do with a packet, judged from the spec alone. Pure and cautious: where a
// rule depends on something that is not known (an interface, a rate, the elements of somebody
// else's set) the answer is that it may match, and "surely accepted" needs every path to accept.

import { type AddressRange, covers, overlaps, parseAddresses, parsePorts } from "./address.ts"
import { familyOf } from "./check-spec.ts"
import type { FirewallRule, FirewallSpec, IcmpType } from "./firewall-spec.ts"

export interface Packet {
  readonly hook: "input" | "output"
  readonly source: AddressRange
  /** Missing where any address of the host is meant. */
  readonly destination?: AddressRange
  readonly protocol: "tcp" | "udp" | "icmpv6"
  readonly sourcePort?: number
  readonly port?: number
  readonly icmpType?: IcmpType
  /** Neighbour discovery is not tracked: no state that a rule can name is its. */
  readonly state: "new" | "established" | "untracked"
  readonly inInterface?: string
  readonly outInterface?: string
}

/** A packet that has to get through, and what it is called when it does not. */
export interface NeededPacket {
  readonly what: string
  readonly packet: Packet
}

type Answer = "yes" | "no" | "maybe"
type Verdict = "accept" | "drop"

export interface Judgement {
  /** Everything that may become of it. */
  readonly verdicts: ReadonlySet<Verdict>
  /** The first rule, or policy, that may drop it: `input/block-all`. */
  readonly droppedBy?: string
}

/** All base chains of the packet's hook have to let it through. */
export function judgePacket(spec: FirewallSpec, packet: Packet): Judgement {
  // A table of the other family never sees it.
  const seen = spec.family === "inet" || spec.family === packet.source.family
  if (!seen) return { verdicts: new Set(["accept"]) }
  const walk = new Walk(spec, packet)
  const verdicts = new Set<Verdict>()
  let droppedBy: string | undefined
  for (const [name, chain] of Object.entries(spec.chains)) {
    if (!hooksOf(packet).includes(chain.hook ?? "")) continue
    const { ends, goesOn } = walk.through(name)
    for (const verdict of ends.keys()) verdicts.add(verdict)
    if (goesOn) verdicts.add(chain.policy)
    droppedBy ??= ends.get("drop")
    if (goesOn && chain.policy === "drop") droppedBy ??= `${name}/policy`
  }
  if (verdicts.size === 0) verdicts.add("accept")
  return droppedBy === undefined ? { verdicts } : { verdicts, droppedBy }
}

const hooksOf = ({ hook }: Packet): readonly string[] =>
  hook === "input" ? ["prerouting", "input"] : ["output", "postrouting"]

interface Walked {
  /** What may become of the packet in this chain, each with the first rule that says so. */
  readonly ends: ReadonlyMap<Verdict, string>
  /** It may come to the end, or return. */
  readonly goesOn: boolean
}

/**
 * One packet on its way through the chains. Each chain is walked once, however many rules jump to
 * it: the ways through chains that jump grow with every level, and what becomes of it there is
 * always the same.
 */
class Walk {
  readonly #spec: FirewallSpec
  readonly #packet: Packet
  readonly #walked = new Map<string, Walked>()

  constructor(spec: FirewallSpec, packet: Packet) {
    this.#spec = spec
    this.#packet = packet
  }

  through(name: string): Walked {
    const known = this.#walked.get(name)
    if (known !== undefined) return known
    const walked = this.#chain(name, this.#spec.chains[name]?.rules ?? [])
    this.#walked.set(name, walked)
    return walked
  }

  #chain(name: string, rules: readonly FirewallRule[]): Walked {
    const ends = new Map<Verdict, string>()
    const note = (verdict: Verdict, by: string) => {
      if (!ends.has(verdict)) ends.set(verdict, by)
    }
    let returned = false
    for (const rule of rules) {
      const answer = matches(this.#spec, rule, this.#packet)
      if (answer === "no" || rule.verdict === "continue") continue
      if (rule.verdict === "jump") {
        const inner = this.through(rule.chain ?? "")
        for (const [verdict, by] of inner.ends) note(verdict, by)
        if (answer === "yes" && !inner.goesOn) return { ends, goesOn: returned }
        continue
      }
      if (rule.verdict === "return") returned = true
      else note(rule.verdict === "accept" ? "accept" : "drop", `${name}/${rule.id}`)
      if (answer === "yes") return { ends, goesOn: returned }
    }
    return { ends, goesOn: true }
  }
}

function matches(spec: FirewallSpec, rule: FirewallRule, packet: Packet): Answer {
  const { source, destination, protocol, icmpType, state } = packet
  const answers: readonly Answer[] = [
    rule.protocol === undefined ? "yes" : said(rule.protocol === protocol),
    rule.icmpTypes === undefined ? "yes" : said(rule.icmpTypes.some((one) => one === icmpType)),
    familyMatches(spec, rule, source),
    rule.sources === undefined ? "yes" : inAddresses(spec, rule.sources, source),
    rule.destinations === undefined ? "yes" : inAddresses(spec, rule.destinations, destination),
    rule.ports === undefined ? "yes" : inPorts(spec, rule.ports, packet.port),
    rule.sourcePorts === undefined ? "yes" : inPorts(spec, rule.sourcePorts, packet.sourcePort),
    rule.inInterfaces === undefined ? "yes" : named(rule.inInterfaces, packet.inInterface),
    rule.outInterfaces === undefined ? "yes" : named(rule.outInterfaces, packet.outInterface),
    rule.state === undefined ? "yes" : said(rule.state.some((one) => one === state)),
    rule.limit === undefined ? "yes" : "maybe",
  ]
  if (answers.includes("no")) return "no"
  return answers.includes("maybe") ? "maybe" : "yes"
}

const said = (claim: boolean): Answer => (claim ? "yes" : "no")

function familyMatches(spec: FirewallSpec, rule: FirewallRule, source: AddressRange): Answer {
  if (spec.family !== "inet") return said(spec.family === source.family)
  const found = familyOf(spec, rule)
  if (found.kind === "wrong") return "maybe"
  return said(found.family === undefined || found.family === source.family)
}

function inAddresses(
  spec: FirewallSpec,
  given: readonly string[],
  range: AddressRange | undefined,
): Answer {
  const [first = ""] = given
  const elements = first.startsWith("@") ? spec.sets[first.slice(1)]?.elements : given
  if (elements === undefined || range === undefined) return "maybe"
  const ranges = elements.map(parseAddresses).filter((one) => one !== undefined)
  if (ranges.some((one) => covers(one, range))) return "yes"
  return ranges.some((one) => overlaps(one, range)) ? "maybe" : "no"
}

function inPorts(
  spec: FirewallSpec,
  given: readonly (string | number)[],
  port: number | undefined,
): Answer {
  const [first = ""] = given.map(String)
  const elements = first.startsWith("@") ? spec.sets[first.slice(1)]?.elements : given
  if (elements === undefined || port === undefined) return "maybe"
  const inside = (text: string | number) => {
    const [from, to] = parsePorts(text) ?? [1, 0]
    return from <= port && port <= to
  }
  return said(elements.some(inside))
}

function named(given: readonly string[], name: string | undefined): Answer {
  if (name === undefined) return "maybe"
  const fits = (one: string) =>
    one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : one === name
  return said(given.some(fits))
}
