// Whether rules would cut a management path: certain when it is certain, and a cut when it is not.

import { describe, expect, test } from "vitest"
import { type FirewallSpec, firewallSpec, flowSpec } from "./firewall-spec.ts"
import { cutBy } from "./management.ts"

const flow = flowSpec.parse({ from: "192.0.2.0/24", port: 22 })

const input = (rules: readonly object[], policy = "drop", more: object = {}): FirewallSpec =>
  firewallSpec.parse({
    table: "setpoint_t",
    chains: { input: { hook: "input", policy, rules }, ...more },
    sets: {
      admins: { type: "ipv4_addr", elements: ["192.0.2.0/24"] },
      some: { type: "ipv4_addr", elements: ["192.0.2.0/25"] },
      theirs: { type: "ipv4_addr" },
    },
  })

const accept = (rest: object) => ({ id: "a", verdict: "accept", ...rest })
const drop = (rest: object) => ({ id: "d", verdict: "drop", ...rest })
const ssh = { protocol: "tcp", ports: [22] }

describe("a path stays", () => {
  test.each<[string, FirewallSpec]>([
    ["when there are no rules", input([], "accept")],
    ["when its port is let in", input([accept(ssh)])],
    ["when its source is let in by a set", input([accept({ sources: ["@admins"] })])],
    ["when others are dropped first", input([drop({ sources: ["10.0.0.0/8"] }), accept(ssh)])],
    ["when another protocol is dropped", input([drop({ protocol: "udp" }), accept(ssh)])],
    ["when ICMP is dropped", input([drop({ protocol: "icmp" }), accept(ssh)])],
    [
      "when a chain that is jumped to lets it in",
      input([{ id: "j", verdict: "jump", chain: "sub" }], "drop", {
        sub: { rules: [accept(ssh)] },
      }),
    ],
  ])("%s", (_, spec) => expect(cutBy(spec, [flow])).toBeUndefined())
})

describe("a path is cut", () => {
  test.each<[string, FirewallSpec, string]>([
    ["by the policy", input([]), "input/policy"],
    ["by a rule", input([drop({}), accept(ssh)]), "input/d"],
    [
      "when only a part of its sources is let in",
      input([accept({ sources: ["@some"] })]),
      "may be",
    ],
    ["when the set is others' business", input([accept({ sources: ["@theirs"] })]), "may be"],
    [
      "when a drop depends on others' set",
      input([drop({ sources: ["@theirs"] }), accept(ssh)]),
      "d",
    ],
    ["when the interface is not known", input([accept({ inInterfaces: ["eth0"] })]), "may be"],
    [
      "when only so many packets get in",
      input([accept({ ...ssh, limit: { rate: 1, per: "second" } })]),
      "may be",
    ],
    ["when only answers get in", input([accept({ state: ["established"] })]), "new packets"],
    ["when only new ones get in", input([accept({ state: ["new"] })]), "established packets"],
    [
      "when its answers are dropped",
      input([accept(ssh)], "drop", { out: { hook: "output", policy: "drop" } }),
      "answers",
    ],
    [
      "when a second chain of the same hook drops it",
      input([accept(ssh)], "drop", { more: { hook: "input", rules: [drop({})] } }),
      "more/d",
    ],
  ])("%s", (_, spec, words) => expect(cutBy(spec, [flow])).toContain(words))
})

describe("chains that jump to each other many times", () => {
  const levels = 6
  const jumps = (to: number) =>
    Array.from({ length: 100 }, (_, n) => ({ id: `j${n}`, verdict: "jump", chain: `c${to}` }))
  const tower = (last: readonly object[]) =>
    input(jumps(1), "drop", {
      ...Object.fromEntries(
        Array.from({ length: levels - 1 }, (_, n) => [`c${n + 1}`, { rules: jumps(n + 2) }]),
      ),
      [`c${levels}`]: { rules: last },
    })

  test("are judged by what they do, however many ways lead through them", () => {
    // One by one, a hundred jumps on each of six levels are a million million ways.
    expect(cutBy(tower([]), [flow])).toContain("input/policy")
    expect(cutBy(tower([accept(ssh)]), [flow])).toBeUndefined()
    expect(cutBy(tower([accept({ sources: ["@some"] }), drop({})]), [flow])).toContain("c6/d")
  })
})

describe("a path over IPv6", () => {
  const six = flowSpec.parse({ from: "2001:db8::/64", port: 22 })
  const types = ["nd-neighbor-solicit", "nd-neighbor-advert"]
  const discovery = (rest: object = {}) =>
    accept({ id: "nd", protocol: "icmpv6", icmpTypes: types, ...rest })
  const output = (...rules: readonly object[]) => ({
    out: { hook: "output", policy: "drop", rules: [accept({ state: ["established"] }), ...rules] },
  })

  test.each<[string, FirewallSpec]>([
    ["when neighbours find the host", input([discovery(), accept(ssh)])],
    ["when all of ICMPv6 gets in", input([accept({ id: "i", protocol: "icmpv6" }), accept(ssh)])],
    [
      "when neighbours and the router find the host",
      input([discovery({ sources: ["2001:db8::/64", "fe80::/10"] }), accept(ssh)]),
    ],
    [
      "when it may look for them, too",
      input([discovery(), accept(ssh)], "drop", output(discovery())),
    ],
    [
      "when it may look for them by the addresses that are meant for it",
      input(
        [discovery(), accept(ssh)],
        "drop",
        output(discovery({ destinations: ["2001:db8::/64", "fe80::/10", "ff02::1:ff00:0/104"] })),
      ),
    ],
    ["when the table is for IPv4", { ...input([], "drop"), family: "ip" }],
  ])("stays %s", (_, spec) => expect(cutBy(spec, [six])).toBeUndefined())

  test.each<[string, FirewallSpec, string]>([
    ["when only its port is let in", input([accept(ssh)]), "nd-neighbor-solicit"],
    [
      "when neighbours are let in by a state, which their packets do not have",
      input([discovery({ state: ["new", "established", "related"] }), accept(ssh)]),
      "nd-neighbor-solicit) to this host",
    ],
    [
      "when it is found and may not answer",
      input([discovery(), accept(ssh)], "drop", output()),
      "nd-neighbor-advert) from this host",
    ],
    [
      "when it may answer and not ask",
      input([discovery(), accept(ssh)], "drop", output(discovery({ icmpTypes: [types[1]] }))),
      "nd-neighbor-solicit) from this host",
    ],
    [
      "when it may ask and hears no answer",
      input([discovery({ icmpTypes: [types[0]] }), accept(ssh)]),
      "nd-neighbor-advert) to this host",
    ],
    [
      "when only the router finds the host",
      input([discovery({ sources: ["fe80::/10"] }), accept(ssh)]),
      "nd-neighbor-solicit",
    ],
  ])("is cut %s", (_, spec, words) => expect(cutBy(spec, [six])).toContain(words))

  test.each([{ interface: "lo" }, {}])("needs no neighbours inside the host (%j)", (where) => {
    const own = flowSpec.parse({ from: "::1", port: 22, ...where })
    expect(cutBy(input([accept(ssh)]), [own])).toBeUndefined()
  })
})
