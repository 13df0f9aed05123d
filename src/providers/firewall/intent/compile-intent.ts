// From intents to the rules of one host, each with the reason for which it is there. Pure. Between
// hosts that have a declared role only what an intent says gets through; answers always do, and so
// do those who manage the host.

import type { JsonObject } from "../../../base/json.ts"
import { type AddressFamily, parseAddresses } from "../address.ts"
import type { FirewallRule, FirewallSet, ManagementFlow } from "../firewall-spec.ts"
import type { IntentHost, IntentSpec } from "./intent-spec.ts"

export interface Reason {
  readonly rule: string
  readonly because: string
}

export interface HostRules {
  readonly sets: Readonly<Record<string, FirewallSet>>
  readonly rules: readonly FirewallRule[]
  readonly reasons: readonly Reason[]
}

const families = ["ip", "ip6"] as const
const suffix = { ip: "v4", ip6: "v6" } as const
const typeOf = { ip: "ipv4_addr", ip6: "ipv6_addr" } as const

/** Of all the hosts' addresses, those of this family. */
function addressesOf(hosts: readonly IntentHost[], family: AddressFamily): string[] {
  const all = hosts.flatMap(({ addresses }) => addresses)
  return [...new Set(all.filter((text) => parseAddresses(text)?.family === family))].sort()
}

const setName = (role: string, family: AddressFamily): string =>
  `role_${role.replaceAll("-", "_")}_${suffix[family]}`

const neighbours = (): Pick<FirewallRule, "protocol" | "icmpTypes"> => ({
  protocol: "icmpv6",
  icmpTypes: [
    ...(["nd-router-solicit", "nd-router-advert"] as const),
    ...(["nd-neighbor-solicit", "nd-neighbor-advert"] as const),
  ],
})

export function rulesFor(
  host: IntentHost,
  hosts: readonly IntentHost[],
  spec: IntentSpec,
): HostRules {
  const made = new Made()
  made.add(
    { id: "answers", state: ["established", "related"], verdict: "accept" },
    "answers always get through",
  )
  made.add({ id: "loopback", inInterfaces: ["lo"], verdict: "accept" }, "a host may talk to itself")
  made.add({ id: "neighbours", ...neighbours(), verdict: "accept" }, "IPv6 needs its neighbours")
  for (const [index, flow] of spec.management.entries()) managementRule(made, index, flow)
  for (const intent of spec.allow.filter(({ to }) => host.roles.includes(to))) {
    const from = hosts.filter(({ roles }) => roles.includes(intent.from))
    for (const family of families) {
      const addresses = addressesOf(from, family)
      if (addresses.length === 0) continue
      const name = setName(intent.from, family)
      made.sets[name] = { type: typeOf[family], elements: addresses }
      made.add(
        {
          id: `${intent.name}-${suffix[family]}`,
          ...{ protocol: intent.protocol, ports: intent.ports, sources: [`@${name}`] },
          ...{ verdict: "accept", comment: `${intent.from} may reach ${intent.to}` },
        },
        `${intent.name}: ${intent.from} may reach ${intent.to} on ${intent.ports.join(", ")}`,
      )
    }
  }
  for (const family of families) {
    const elements = addressesOf(hosts, family)
    if (elements.length === 0) continue
    const name = `hosts_${suffix[family]}`
    made.sets[name] = { type: typeOf[family], elements }
    const rule = { id: `others-${suffix[family]}`, sources: [`@${name}`], counter: true }
    made.add({ ...rule, verdict: "drop" }, "no intent lets another host in")
  }
  return made
}

function managementRule(made: Made, index: number, flow: ManagementFlow): void {
  const { from, port, protocol } = flow
  const where = flow.interface === undefined ? {} : { inInterfaces: [flow.interface] }
  const rule = { id: `management-${index + 1}`, protocol, ports: [port], sources: [from], ...where }
  made.add({ ...rule, verdict: "accept" }, `${from} manages this host by port ${port}`)
}

class Made implements HostRules {
  readonly sets: Record<string, FirewallSet> = {}
  readonly rules: FirewallRule[] = []
  readonly reasons: Reason[] = []

  add(rule: Omit<FirewallRule, "counter"> & { readonly counter?: boolean }, because: string): void {
    this.rules.push({ counter: false, ...rule })
    this.reasons.push({ rule: rule.id, because })
  }
}

/** The spec of the Firewall that keeps a host's rules. */
export function firewallOf(
  table: string,
  host: IntentHost,
  made: HostRules,
  { others, management }: IntentSpec,
): JsonObject {
  const policy = others === "Accept" ? "accept" : "drop"
  return {
    ...{ family: "inet", table, host: host.host, sets: made.sets, management },
    chains: { input: { hook: "input", priority: 0, policy, rules: [...made.rules] } },
  }
}
