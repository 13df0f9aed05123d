// Intents become rules with reasons; contradictions change nothing. The packets of a small network
// are judged by the rules themselves: what gets through is exactly what was said.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../../base/json.ts"
import type { Composition } from "../../../contract/composite.ts"
import type { ApiObject } from "../../../object/object.ts"
import { type AddressRange, parseAddresses } from "../address.ts"
import { wrongWith } from "../check-spec.ts"
import { judgePacket } from "../evaluate.ts"
import { type FirewallSpec, firewallSpec } from "../firewall-spec.ts"
import { cutBy } from "../management.ts"
import { intentSpec } from "./intent-spec.ts"
import { networkIntent } from "./network-intent.ts"

const host = (name: string, last: number, ...roles: string[]) => ({
  ...{ name, roles, host: { netns: name } },
  addresses: [`10.0.0.${last}`, `2001:db8::${last}`],
})

const intent = (name: string, spec: JsonObject): ApiObject => ({
  apiVersion: "firewall.setpoint.dev/v1alpha1",
  kind: "NetworkIntent",
  metadata: { name, namespace: "default", uid: "u" },
  spec: intentSpec.parse(spec) as JsonObject,
})

const compose = (parent: ApiObject, related: readonly ApiObject[] = [parent]) =>
  networkIntent.compose({ parent, related, children: [], now: 0 })

function composed(parent: ApiObject, related?: readonly ApiObject[]): Composition {
  const answer = compose(parent, related)
  if ("stalled" in answer) throw new Error(answer.stalled)
  return answer
}

const specsOf = ({ children }: Composition): Map<string, FirewallSpec> =>
  new Map(
    children.map(({ metadata, spec }) => [
      metadata.name.split("-")[1] ?? "",
      firewallSpec.parse(spec),
    ]),
  )

const address = (text: string): AddressRange => {
  const range = parseAddresses(text)
  if (range === undefined) throw new Error(text)
  return range
}

const gets = (
  spec: FirewallSpec | undefined,
  from: string,
  port: number,
  state: "new" | "established",
) =>
  spec !== undefined &&
  !judgePacket(spec, {
    ...{ hook: "input", protocol: "tcp", source: address(from), port, state },
    inInterface: "eth0",
  }).verdicts.has("drop")

const three = {
  hosts: [host("web", 1, "web"), host("db", 2, "db"), host("ops", 3, "ops")],
  allow: [
    { name: "web-db", from: "web", to: "db", ports: [5432] },
    { name: "ops-all", from: "ops", to: "web", ports: [22] },
  ],
  management: [{ from: "192.0.2.0/24", port: 22 }],
}

describe("an intent", () => {
  test("becomes one table for each host, and says why each rule is there", () => {
    const made = composed(intent("site", three))
    expect(made.children.map(({ metadata }) => metadata.name)).toEqual([
      ...["site-db", "site-ops", "site-web"],
    ])
    expect(made.status.because).toContainEqual({
      ...{ host: "db", rule: "web-db-v4" },
      because: "web-db: web may reach db on 5432",
    })
    for (const spec of specsOf(made).values()) expect(wrongWith(spec)).toBeUndefined()
  })

  test("lets through what it says, answers and management, and nothing else between hosts", () => {
    const specs = specsOf(composed(intent("site", three)))
    expect(gets(specs.get("db"), "10.0.0.1", 5432, "new")).toBe(true)
    expect(gets(specs.get("db"), "2001:db8::1", 5432, "new")).toBe(true)
    expect(gets(specs.get("db"), "10.0.0.1", 22, "new")).toBe(false)
    expect(gets(specs.get("db"), "10.0.0.3", 5432, "new")).toBe(false)
    expect(gets(specs.get("web"), "10.0.0.2", 80, "new")).toBe(false)
    expect(gets(specs.get("web"), "10.0.0.2", 80, "established")).toBe(true)
    for (const spec of specs.values()) expect(cutBy(spec, spec.management)).toBeUndefined()
  })

  test("takes hosts from FirewallHosts of its namespace, and tells them", () => {
    const { name, ...spec } = host("db", 2, "db")
    const object: ApiObject = {
      ...{ apiVersion: "firewall.setpoint.dev/v1alpha1", kind: "FirewallHost" },
      ...{ metadata: { name, namespace: "default" }, spec },
    }
    const parent = intent("site", { ...three, hosts: [three.hosts[0] ?? {}] })
    const made = composed(parent, [object, parent])
    expect(made.status.hosts).toEqual(["db", "web"])
    expect(made.reports?.map(({ status }) => status.intent)).toEqual(["site"])
    expect(made.status.rolesWithoutHosts).toEqual(["ops"])
  })

  test.each([
    ["an address on two hosts", { ...three, hosts: [host("a", 1, "web"), host("b", 1, "db")] }],
    [
      "a prefix as an address",
      { ...three, hosts: [{ ...host("a", 1, "web"), addresses: ["10.0.0.0/8"] }] },
    ],
    [
      "a port that is none",
      { ...three, allow: [{ name: "x", from: "web", to: "db", ports: ["no"] }] },
    ],
  ])("stalls on %s", (_, spec) => {
    expect(compose(intent("site", spec))).toHaveProperty("stalled")
  })

  test("leaves a host to the intent that sorts first", () => {
    const [first, second] = [intent("a", three), intent("b", three)]
    expect(compose(first, [first, second])).toHaveProperty("children")
    expect(compose(second, [first, second])).toEqual({
      stalled: "NetworkIntent a has host db too; put what they say into one",
    })
  })
})

const roles = ["a", "b", "c", "d"]
const allowed = fc.array(
  fc.record({
    from: fc.constantFrom(...roles),
    to: fc.constantFrom(...roles),
    ports: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1 }),
  }),
  { maxLength: 6 },
)
const holders = fc.array(fc.uniqueArray(fc.constantFrom(...roles), { minLength: 1 }), {
  ...{ minLength: 1, maxLength: 4 },
})

test("whatever is said, exactly that gets through between hosts", () => {
  fc.assert(
    fc.property(allowed, holders, (said, held) => {
      const hosts = held.map((own, index) => host(`h${index}`, index + 1, ...own))
      const allow = said.map((one, index) => ({ name: `n${index}`, ...one }))
      const specs = specsOf(composed(intent("site", { hosts, allow, roles })))
      for (const from of hosts) {
        for (const to of hosts.filter((one) => one !== from)) {
          for (const port of [1, 2, 3, 4, 5]) {
            const should = allow.some(
              (one) =>
                from.roles.includes(one.from) &&
                to.roles.includes(one.to) &&
                one.ports.includes(port),
            )
            const source = from.addresses[0] ?? ""
            expect(gets(specs.get(to.name), source, port, "new")).toBe(should)
          }
        }
      }
    }),
    { numRuns: 100 },
  )
})
