// Specs that a schema lets through and that would mean nothing, or more than they say, are refused
// in words; what is compiled holds nothing but what was declared.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { wrongWith } from "./check-spec.ts"
import { addAll, compileTable, scriptOf } from "./compile.ts"
import { type FirewallSpec, firewallSpec } from "./firewall-spec.ts"

const spec = (rest: object): FirewallSpec =>
  firewallSpec.parse({ table: "setpoint_t", ...rest }) as FirewallSpec

const withRule = (rule: object, rest: object = {}) =>
  spec({
    chains: {
      input: { hook: "input", rules: [{ id: "a", verdict: "accept", ...rule }] },
      sub: { rules: [] },
    },
    sets: {
      v4: { type: "ipv4_addr", elements: ["10.0.0.0/8"] },
      v6: { type: "ipv6_addr" },
      ports: { type: "inet_service", elements: ["80"] },
    },
    ...rest,
  })

/** After routing, and two jumps from there. */
const leaving = (verdict: "jump" | "reject"): FirewallSpec =>
  spec({
    chains: {
      out: {
        hook: "postrouting",
        rules: [{ id: "a", verdict, ...(verdict === "jump" ? { chain: "sub" } : {}) }],
      },
      sub: { rules: [{ id: "b", verdict: "jump", chain: "last" }] },
      last: { rules: [{ id: "r", verdict: "reject" }] },
    },
  })

describe("a spec is refused", () => {
  test.each<[string, FirewallSpec, string]>([
    ["ports without protocol", withRule({ ports: [22] }), "ports need protocol"],
    ["a port out of range", withRule({ protocol: "tcp", ports: [70_000] }), "neither port"],
    ["ports that overlap", withRule({ protocol: "tcp", ports: [80, "70-90"] }), "overlap"],
    ["a set that is not there", withRule({ sources: ["@none"] }), "neither an address"],
    ["a set of another type", withRule({ sources: ["@ports"] }), "neither an address"],
    ["ports from addresses", withRule({ protocol: "tcp", ports: ["@v4"] }), "no set @v4 of ports"],
    ["two families", withRule({ sources: ["@v4"], destinations: ["::1"] }), "mixes IPv4 and IPv6"],
    ["ICMP of the other family", withRule({ sources: ["@v4"], protocol: "icmpv6" }), "mixes"],
    ["a jump to nowhere", withRule({ verdict: "jump", chain: "none" }), "no chain none"],
    ["a jump to a hook", withRule({ verdict: "jump", chain: "input" }), "has a hook"],
    ["a reject after routing", leaving("reject"), "use drop"],
    ["a reject that packets get to after routing", leaving("jump"), "chains.last: rule r"],
    ["a chain without jump", withRule({ chain: "sub" }), "jump and chain go together"],
    ["no address", withRule({ sources: ["10.0.0.1 accept"] }), "neither an address"],
    ["an interface of no use", withRule({ outInterfaces: ["eth0"] }), "mean nothing"],
    ["IPv6 in an ip table", withRule({ sources: ["::1"] }, { family: "ip", sets: {} }), "mixes"],
    ["a name that is none", spec({ sets: { "a; b": { type: "ipv4_addr" } } }), "is not a name"],
    ["a name of Object's", spec({ chains: { "": {} } }), "is not a name"],
    [
      "elements that overlap",
      spec({ sets: { s: { type: "ipv4_addr", elements: ["10.0.0.0/8", "10.1.0.0/16"] } } }),
      "overlap",
    ],
    [
      "chains in a circle",
      spec({
        chains: {
          a: { rules: [{ id: "x", verdict: "jump", chain: "b" }] },
          b: { rules: [{ id: "x", verdict: "jump", chain: "a" }] },
        },
      }),
      "circle",
    ],
    ["a probe of nothing", spec({ confirm: { probe: {} } }), "exactly one of tcp and http"],
    ["a management path of nobody", spec({ management: [{ from: "me", port: 22 }] }), "neither"],
  ])("for %s", (_, given, words) => expect(wrongWith(given)).toContain(words))
})

test("whatever text a user gives, no rule becomes two and no word becomes a command", () => {
  const text = fc.string({ maxLength: 40 })
  fc.assert(
    fc.property(text, text, text, (comment, prefix, source) => {
      const parsed = firewallSpec.safeParse({
        table: "setpoint_t",
        chains: {
          input: {
            hook: "input",
            rules: [
              { id: "a", verdict: "drop", comment, sources: [source], log: { prefix } },
              { id: "b", verdict: "accept" },
            ],
          },
        },
      })
      if (!parsed.success || wrongWith(parsed.data) !== undefined) return
      const script = scriptOf(addAll(parsed.data, compileTable(parsed.data)))
      const commands = (JSON.parse(script) as { nftables: object[] }).nftables
      expect(commands.map((one) => Object.keys(one).join())).toEqual(["add", "add", "add"])
      expect(comment + prefix).not.toMatch(/["\\\n]/)
    }),
    { numRuns: 200 },
  )
})

test.each(["filter", "setpoint", "setpoint_", "setpoint_a b", "setpoint_a;", "Setpoint_a", "nat"])(
  "the table %s can't be named",
  (table) => expect(firewallSpec.safeParse({ table }).success).toBe(false),
)
