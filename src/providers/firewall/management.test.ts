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
