// What a Firewall object says, as a schema: one nftables table of our own. Rules are structured; no
// text of the user's is ever made a part of the ruleset without being checked word by word.

import { z } from "zod"
import { listMap } from "../../provider/schema-marks.ts"

/** Every table of ours has this in front: other tables can't even be named. */
export const tablePrefix = "setpoint_"

const name = /^[a-z][a-z0-9_]{0,30}$/
/** Printable ASCII without quotes and backslashes: safe in every form that nft prints. */
const plainText = /^[ !#-[\]-~]*$/
const interfaceName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}\*?$/

const addresses = z
  .array(z.string().min(2).max(90))
  .min(1)
  .max(1000)
  .describe("Addresses, prefixes (10.0.0.0/8), ranges (10.0.0.1-10.0.0.9) or one @set.")

const ports = z
  .array(z.union([z.int(), z.string()]))
  .min(1)
  .max(1000)
  .describe('Ports, ranges ("8000-8099") or one "@set"; needs protocol tcp or udp.')

const interfaces = z.array(z.string().regex(interfaceName)).min(1).max(64)

export const icmpTypes = [
  ...["echo-request", "echo-reply", "destination-unreachable", "time-exceeded"],
  ...["parameter-problem", "packet-too-big", "nd-router-solicit", "nd-router-advert"],
  ...["nd-neighbor-solicit", "nd-neighbor-advert"],
] as const
export type IcmpType = (typeof icmpTypes)[number]

const rule = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/)
    .describe("Names the rule in this chain; it is kept in the rule's comment."),
  protocol: z.enum(["tcp", "udp", "icmp", "icmpv6"]).optional(),
  ports: ports.optional(),
  sourcePorts: ports.optional(),
  icmpTypes: z.array(z.enum(icmpTypes)).min(1).optional(),
  sources: addresses.optional(),
  destinations: addresses.optional(),
  inInterfaces: interfaces.optional().describe("Names, or the beginning of names: eth*."),
  outInterfaces: interfaces.optional(),
  state: z
    .array(z.enum(["new", "established", "related", "invalid"]))
    .min(1)
    .optional(),
  limit: z
    .strictObject({
      rate: z.int().min(1).max(1_000_000),
      per: z.enum(["second", "minute", "hour", "day"]),
      burst: z.int().min(1).max(1_000_000).default(5),
    })
    .optional()
    .describe("Only so many packets match; the rest goes on to the next rule."),
  log: z
    .strictObject({
      prefix: z.string().min(1).max(60).regex(plainText),
      level: z.enum(["warn", "notice", "info", "debug"]).default("warn"),
    })
    .optional(),
  counter: z.boolean().default(false).describe("Counts; kept when the rules are replaced."),
  verdict: z.enum(["accept", "drop", "reject", "return", "jump", "continue"]),
  chain: z.string().regex(name).optional().describe("Where jump goes: a chain without hook."),
  comment: z.string().max(70).regex(plainText).optional(),
})

const chain = z.strictObject({
  hook: z
    .enum(["input", "forward", "output", "prerouting", "postrouting"])
    .optional()
    .describe("Where packets come in; a chain without hook is only jumped to."),
  priority: z.int().min(-400).max(400).default(0),
  policy: z.enum(["accept", "drop"]).default("accept").describe("For what no rule decides."),
  rules: listMap(rule, ["id"]).max(2000).default([]),
})

const set = z.strictObject({
  type: z.enum(["ipv4_addr", "ipv6_addr", "inet_service"]),
  elements: z
    .array(z.string().min(1).max(90))
    .max(20_000)
    .optional()
    .describe("Without it the elements are others' business and are kept as they are."),
})

const probe = z.strictObject({
  tcp: z
    .strictObject({ address: z.string().min(2).max(45), port: z.int().min(1).max(65_535) })
    .optional()
    .describe("A connection to here has to be made."),
  http: z
    .strictObject({
      url: z
        .string()
        .max(1000)
        .regex(/^https?:\/\/[!-~]+$/),
    })
    .optional()
    .describe("A GET of this has to be answered with a status below 400."),
  from: z.enum(["plane", "host"]).default("plane").describe("Who tries it."),
})

export const flowSpec = z.strictObject({
  from: z.string().min(2).max(45).describe("Address or prefix of those who control this host."),
  port: z.int().min(1).max(65_535),
  protocol: z.enum(["tcp", "udp"]).default("tcp"),
  interface: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/)
    .optional()
    .describe("Where these packets come in, if that is known."),
})

export const hostSpec = z.strictObject({
  netns: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/)
    .optional()
    .describe("A named network namespace of this machine."),
})

export const firewallSpec = z
  .strictObject({
    family: z.enum(["inet", "ip", "ip6"]).default("inet"),
    table: z
      .string()
      .regex(/^setpoint_[a-z0-9_]{1,40}$/)
      .describe("The table; its name begins with setpoint_, and all of it is this object's."),
    host: hostSpec.default({}).describe("Where; this host by default."),
    sets: z.record(z.string(), set).default({}),
    chains: z.record(z.string(), chain).default({}),
    management: z
      .array(flowSpec)
      .max(50)
      .default([])
      .describe("Who must always get in; rules that would keep them out are refused."),
    confirm: z
      .strictObject({
        probe,
        withinSeconds: z.int().min(1).max(60).default(10),
      })
      .optional()
      .describe("The old rules come back unless the probe succeeds in time."),
  })
  .describe("One nftables table.")

export type FirewallSpec = z.output<typeof firewallSpec>
export type FirewallRule = z.output<typeof rule>
export type FirewallChain = z.output<typeof chain>
export type FirewallSet = z.output<typeof set>
export type FirewallHostPlace = z.output<typeof hostSpec>
export type ManagementFlow = z.output<typeof flowSpec>
export type Probe = z.output<typeof probe>

export const isName = (text: string): boolean => name.test(text)
