// The packets by which IPv6 finds the machine at the other end of a link. Pure. Where they are
// dropped nothing gets through, whatever is accepted besides: each side asks for the other again
// and again while they talk.

import { type AddressRange, parseAddresses } from "./address.ts"
import type { NeededPacket, Packet } from "./evaluate.ts"
import type { IcmpType } from "./firewall-spec.ts"

/** Routers speak by these, and so may everybody else on the link. */
const linkLocal = parseAddresses("fe80::/10")
/** Where it is asked for an address whose owner is not known yet. */
const solicited = parseAddresses("ff02::1:ff00:0/104")

/** What has to get through between the host and those who manage it, or the router before them. */
export function neighbourPackets(
  source: AddressRange,
  host: AddressRange,
  link: string | undefined,
): readonly NeededPacket[] {
  const neighbours = [source, linkLocal].filter((one) => one !== undefined)
  const asked = [...neighbours, solicited].filter((one) => one !== undefined)
  const inward = (from: AddressRange) => {
    const where = link === undefined ? {} : { inInterface: link }
    return { hook: "input", source: from, destination: host, ...where } as const
  }
  const outward = (to: AddressRange) => {
    const where = link === undefined ? {} : { outInterface: link }
    return { hook: "output", source: host, destination: to, ...where } as const
  }
  return [
    ...neighbours.map((one) => solicit(inward(one))),
    ...neighbours.map((one) => advert(outward(one))),
    ...asked.map((one) => solicit(outward(one))),
    ...neighbours.map((one) => advert(inward(one))),
  ]
}

type Way = Pick<Packet, "hook" | "source" | "destination" | "inInterface" | "outInterface">

const solicit = (way: Way) => needed("neighbour solicitations", "nd-neighbor-solicit", way)
const advert = (way: Way) => needed("neighbour advertisements", "nd-neighbor-advert", way)

function needed(name: string, icmpType: IcmpType, way: Way): NeededPacket {
  const whose = way.hook === "input" ? "to" : "from"
  const what = `${name} (icmpv6 ${icmpType}) ${whose} this host`
  return { what, packet: { ...way, protocol: "icmpv6", icmpType, state: "untracked" } }
}
