// The paths by which people and planes control a host, and whether rules would cut one. Pure. What
// is asked is whether the table lets every packet of such a path through for certain; a "perhaps"
// counts as a cut, because nobody can walk to the machine to find out.

import { type AddressRange, covers, parseAddresses } from "./address.ts"
import { judgePacket, type NeededPacket } from "./evaluate.ts"
import type { FirewallSpec, ManagementFlow } from "./firewall-spec.ts"
import { neighbourPackets } from "./neighbour-packets.ts"

/** The first way in which these rules may cut one of the paths; undefined when they cut none. */
export function cutBy(spec: FirewallSpec, flows: readonly ManagementFlow[]): string | undefined {
  for (const flow of flows) {
    for (const { what, packet } of packetsOf(flow)) {
      const { verdicts, droppedBy } = judgePacket(spec, packet)
      if (!verdicts.has("drop")) continue
      const surely = verdicts.has("accept") ? "may be" : "would be"
      return `${what} of the management path ${flowText(flow)} ${surely} dropped by ${droppedBy}`
    }
  }
  return undefined
}

export const flowText = ({ from, port, protocol }: ManagementFlow): string =>
  `${from} to port ${port}/${protocol}`

function packetsOf(flow: ManagementFlow): readonly NeededPacket[] {
  const source = parseAddresses(flow.from)
  if (source === undefined) return []
  const { protocol, port } = flow
  const inInterface = flow.interface === undefined ? {} : { inInterface: flow.interface }
  const outInterface = flow.interface === undefined ? {} : { outInterface: flow.interface }
  // Of the host's own addresses only those of the same family as the client's can be meant.
  const anywhere = parseAddresses(source.family === "ip" ? "0.0.0.0/0" : "::/0")
  const host = flow.interface === "lo" ? source : anywhere
  if (host === undefined) return []
  const inward = {
    hook: "input",
    protocol,
    source,
    destination: host,
    port,
    ...inInterface,
  } as const
  const outward = { hook: "output", protocol, source: host, destination: source } as const
  return [
    { what: "new packets", packet: { ...inward, state: "new" } },
    { what: "established packets", packet: { ...inward, state: "established" } },
    {
      what: "answers",
      packet: { ...outward, sourcePort: port, state: "established", ...outInterface },
    },
    ...(needsNeighbours(flow, source) ? neighbourPackets(source, host, flow.interface) : []),
  ]
}

const loopback = parseAddresses("::1")

/** IPv6 finds no other machine without neighbour discovery; ARP of IPv4 is not for these tables. */
function needsNeighbours(flow: ManagementFlow, source: AddressRange): boolean {
  const itself = loopback !== undefined && covers(loopback, source)
  return source.family === "ip6" && flow.interface !== "lo" && !itself
}
