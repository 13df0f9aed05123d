// The cluster in DNS: one SRV record of the primary, which every failover moves, and one of each
// member. Clients that look them up need to know neither ports nor this host.

import { z } from "zod"
import type { ComposeInput } from "../../src/provider/index.ts"
import type { ClusterState } from "./step.ts"

type Child = ComposeInput["children"][number]

export const dns = z.strictObject({
  zone: z.string().min(1).describe("Name of a DnsZone of the same namespace."),
  service: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$/)
    .describe("`orders` is found as _orders._tcp, its members as _orders-members._tcp."),
  host: z
    .string()
    .regex(/^\S+\.$/)
    .describe("This host's name, absolute, with a dot at its end."),
  ttl: z.int().min(0).max(3600).default(5).describe("Seconds; a failover is seen after so long."),
})

export function recordsOf(
  name: string,
  { primary, members }: ClusterState,
  wish: z.output<typeof dns> | undefined,
  portOf: (member: string) => number,
): readonly Child[] {
  if (wish === undefined) return []
  const { zone, service, host, ttl } = wish
  const record = (own: string, label: string, listed: readonly string[]): Child => ({
    ...{ apiVersion: "dns.setpoint.dev/v1", kind: "RecordSet" },
    metadata: { name: `${name}-${own}` },
    spec: {
      zoneFrom: { kind: "DnsZone", name: zone, field: "spec" },
      ...{ name: `_${label}._tcp`, type: "SRV", ttl },
      values: listed.map((one) => `0 0 ${portOf(one)} ${host}`),
    },
  })
  return [
    // Between two primaries the old one stays: who asks meanwhile has to try again anyway.
    ...(primary === "" ? [] : [record("primary", service, [primary])]),
    record("members", `${service}-members`, members),
  ]
}
