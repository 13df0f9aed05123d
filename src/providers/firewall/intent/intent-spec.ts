// What a NetworkIntent and a FirewallHost say: who may reach whom, in roles, and which hosts have
// them. No addresses stand in an intent; they are the hosts' business.

import { z } from "zod"
import { listMap } from "../../../provider/schema-marks.ts"
import { flowSpec, hostSpec } from "../firewall-spec.ts"

const role = z.string().regex(/^[a-z][a-z0-9-]{0,15}$/)

const hostFields = {
  addresses: z
    .array(z.string().min(2).max(45))
    .min(1)
    .max(16)
    .describe("Under which others know it, and from which it speaks."),
  roles: z.array(role).min(1).max(16),
  host: hostSpec.default({}).describe("Where its rules are set; this host by default."),
}

export const firewallHostSpec = z.strictObject(hostFields)

const port = z.union([z.int(), z.string()])

export const intentSpec = z.strictObject({
  allow: listMap(
    z.strictObject({
      name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,30}$/),
      from: role,
      to: role,
      protocol: z.enum(["tcp", "udp"]).default("tcp"),
      ports: z.array(port).min(1).max(100),
    }),
    ["name"],
  )
    .max(500)
    .default([])
    .describe("Who may open connections to whom. What is not said here is dropped between hosts."),
  roles: z.array(role).max(100).default([]).describe("More roles that are kept apart."),
  hosts: listMap(
    z.strictObject({
      name: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/),
      ...hostFields,
    }),
    ["name"],
  )
    .max(200)
    .default([])
    .describe("Hosts written out here, besides the FirewallHosts of the namespace."),
  management: z.array(flowSpec).max(50).default([]).describe("Who always gets in, everywhere."),
  others: z
    .enum(["Accept", "Drop"])
    .default("Accept")
    .describe("What becomes of packets from addresses that belong to none of the hosts."),
})

export type IntentSpec = z.output<typeof intentSpec>
export type FirewallHostSpec = z.output<typeof firewallHostSpec>

/** A host with its name, from an intent or from a FirewallHost. */
export interface IntentHost extends FirewallHostSpec {
  readonly name: string
}
