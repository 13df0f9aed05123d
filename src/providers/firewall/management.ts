// The paths by which people and planes control a host, and whether rules would cut one. Pure. What
// is asked is whether the table lets every packet of such a path through for certain; a "perhaps"
// counts as a cut, because nobody can walk to the machine to find out.

import { parseAddresses } from "./address.ts"
import { judgePacket, type Packet } from "./evaluate.ts"
import type { FirewallSpec, ManagementFlow } from "./firewall-spec.ts"

/** The first way in which these rules may cut one of the paths; undefined when they cut none. */
export function cutBy(spec: FirewallSpec, flows: readonly ManagementFlow[]): string | undefined {
  for (const flow of flows) {
    for (const packet of packetsOf(flow)) {
      const { verdicts, droppedBy } = judgePacket(spec, packet)
      if (!verdicts.has("drop")) continue
      const surely = verdicts.has("accept") ? "may be" : "would be"
      const what = packet.hook === "input" ? `${packet.state} packets` : "answers"
      return `${what} of the management path ${flowText(flow)} ${surely} dropped by ${droppedBy}`
    }
  }
  return undefined
}

export const flowText = ({ from, port, protocol }: ManagementFlow): string =>
  `${from} to port ${port}/${protocol}`

function packetsOf(flow: ManagementFlow): readonly Packet[] {
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
    { ...inward, state: "new" },
    { ...inward, state: "established" },
    { ...outward, sourcePort: port, state: "established", ...outInterface },
  ]
}
