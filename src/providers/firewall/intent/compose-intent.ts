// From a NetworkIntent to one Firewall for each of its hosts. Pure. What can't be known or would
// contradict itself (a host in two intents, an address on two hosts) stalls, and every host keeps
// the rules that it has.

import { sha256 } from "../../../base/hash.ts"
import type { JsonObject } from "../../../base/json.ts"
import type { Composition, NoComposition } from "../../../contract/composite.ts"
import type { ApiObject } from "../../../object/object.ts"
import type { ParentOf } from "../../../provider/define-composite.ts"
import { parseAddresses, parsePorts } from "../address.ts"
import { tablePrefix } from "../firewall-spec.ts"
import { firewallOf, rulesFor } from "./compile-intent.ts"
import type { FirewallHostSpec, IntentHost, IntentSpec, intentSpec } from "./intent-spec.ts"

const group = "firewall.setpoint.dev"
const hostLabel = `${group}/host`
/** Status holds the first few; all of them can be read from the children. */
const reasonsMax = 100

export interface IntentInput {
  readonly parent: ParentOf<typeof intentSpec>
  readonly related: readonly ApiObject[]
}

export function composeIntent({ parent, related }: IntentInput): Composition | NoComposition {
  const { spec } = parent
  const roles = declaredRoles(spec)
  const hosts = hostsOf(spec, related).filter((host) => host.roles.some((role) => roles.has(role)))
  const wrong = wrongWith(spec, hosts) ?? claimedElsewhere(parent, hosts, related)
  if (wrong !== undefined) return { stalled: wrong }
  const table = tableOf(parent)
  const made = hosts.map((host) => ({ host, rules: rulesFor(host, hosts, spec) }))
  const reasons = made.flatMap(({ host, rules }) =>
    rules.reasons.map(({ rule, because }) => ({ host: host.name, rule, because })),
  )
  const unused = [...roles].filter((role) => !hosts.some((host) => host.roles.includes(role)))
  return {
    children: made.map(({ host, rules }) => ({
      apiVersion: `${group}/v1alpha1`,
      kind: "Firewall",
      metadata: {
        name: `${parent.metadata.name}-${host.name}`,
        labels: { [hostLabel]: host.name },
      },
      spec: firewallOf(table, host, rules, spec),
    })),
    status: {
      hosts: hosts.map(({ name }) => name),
      ...(unused.length === 0 ? {} : { rolesWithoutHosts: unused.sort() }),
      rules: reasons.length,
      because: reasons.slice(0, reasonsMax),
    },
    reports: reportsFor(parent, related, made),
  }
}

/** What a FirewallHost is told: whose rules it has and how many. */
function reportsFor(
  parent: IntentInput["parent"],
  related: readonly ApiObject[],
  made: readonly {
    readonly host: IntentHost
    readonly rules: { readonly rules: readonly unknown[] }
  }[],
): { object: ApiObject; status: JsonObject }[] {
  return related
    .filter(({ kind }) => kind === "FirewallHost")
    .flatMap((object) => {
      const own = made.find(({ host }) => host.name === object.metadata.name)
      if (own === undefined) return []
      const status = { intent: parent.metadata.name, rules: own.rules.rules.length }
      return [{ object, status }]
    })
}

function tableOf({ metadata: { name, namespace = "" } }: IntentInput["parent"]): string {
  const plain = name.replaceAll(/[^a-z0-9]/g, "_").slice(0, 28)
  return `${tablePrefix}${plain}_${sha256(`${namespace}/${name}`).slice(0, 6)}`
}

function declaredRoles(spec: IntentSpec): ReadonlySet<string> {
  return new Set([...spec.roles, ...spec.allow.flatMap(({ from, to }) => [from, to])])
}

/** Those that are written out come first: a FirewallHost of the same name is not taken as well. */
function hostsOf(spec: IntentSpec, related: readonly ApiObject[]): readonly IntentHost[] {
  const found = new Map<string, IntentHost>()
  for (const host of spec.hosts) found.set(host.name, host)
  for (const object of related) {
    const { name, deletionTimestamp } = object.metadata
    if (object.kind !== "FirewallHost" || deletionTimestamp !== undefined || found.has(name))
      continue
    found.set(name, { name, ...((object.spec ?? {}) as FirewallHostSpec) })
  }
  return [...found.values()].sort((left, right) => (left.name < right.name ? -1 : 1))
}

function wrongWith(spec: IntentSpec, hosts: readonly IntentHost[]): string | undefined {
  for (const { name, ports } of spec.allow) {
    const bad = ports.find((port) => parsePorts(port) === undefined)
    if (bad !== undefined) return `allow ${name}: "${bad}" is neither a port nor a range of ports`
  }
  const flow = spec.management.find(({ from }) => parseAddresses(from) === undefined)
  if (flow !== undefined) return `management: "${flow.from}" is neither an address nor a prefix`
  const owners = new Map<string, string>()
  const places = new Map<string, string>()
  for (const { name, addresses, host } of hosts) {
    const place = host.netns ?? ""
    const twin = places.get(place)
    if (twin !== undefined) return `hosts ${twin} and ${name} are in the same place`
    places.set(place, name)
    for (const address of addresses) {
      const range = parseAddresses(address)
      if (range === undefined || range.from !== range.to) {
        return `host ${name}: "${address}" is not an address`
      }
      const key = `${range.family} ${range.from}`
      const other = owners.get(key)
      if (other !== undefined) return `hosts ${other} and ${name} both have ${address}`
      owners.set(key, name)
    }
  }
  return undefined
}

/** Two tables that both drop what they do not know would leave nothing of either intent. */
function claimedElsewhere(
  parent: IntentInput["parent"],
  hosts: readonly IntentHost[],
  related: readonly ApiObject[],
): string | undefined {
  const mine = new Set(hosts.map(({ host }) => host.netns ?? ""))
  for (const object of related) {
    const { name } = object.metadata
    // The one that sorts first keeps the host.
    if (object.kind !== "NetworkIntent" || name >= parent.metadata.name) continue
    const spec = object.spec as IntentSpec
    const roles = declaredRoles(spec)
    const shared = hostsOf(spec, related).find(
      (host) => mine.has(host.host.netns ?? "") && host.roles.some((role) => roles.has(role)),
    )
    if (shared !== undefined) {
      return `NetworkIntent ${name} has host ${shared.name} too; put what they say into one`
    }
  }
  return undefined
}
