// Whatever is declared is taken by nft and seen as declared afterwards; whatever differs is noticed
// and healed. Random tables on the real nft.

import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { systemClock } from "../../base/system.ts"
import { firstDifference } from "../../provider/conformance/matches.ts"
import { wrongWith } from "./check-spec.ts"
import { type FirewallSpec, firewallSpec, icmpTypes } from "./firewall-spec.ts"
import { FirewallDriver } from "./testing/drive-firewall.ts"
import { missingForFirewall, Namespace } from "./testing/namespace.ts"

const full = process.env.SETPOINT_TEST_FULL === "1"
const missing = missingForFirewall()

const some = <T>(...values: readonly T[]) => fc.subarray([...values], { minLength: 1 })
const port = fc.oneof(
  fc.integer({ min: 1, max: 65_535 }),
  fc.tuple(fc.integer({ min: 1, max: 65_535 }), fc.nat(100)).map(([from, more]) => {
    return `${from}-${Math.min(65_535, from + more)}`
  }),
)
const four = fc.oneof(fc.ipV4(), fc.tuple(fc.ipV4(), fc.integer({ min: 1, max: 32 })).map(join))
const six = fc.oneof(fc.ipV6(), fc.tuple(fc.ipV6(), fc.integer({ min: 1, max: 128 })).map(join))

function join([address, length]: readonly [string, number]): string {
  return `${address}/${length}`
}

const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 3 })
const addresses = fc.oneof(list(four), list(six), fc.constant(["@four"]), fc.constant(["@six"]))
const text = fc.stringMatching(/^[a-zA-Z0-9 ;{}$*'#-]{1,20}$/)

const rule = fc.record(
  {
    protocol: fc.constantFrom("tcp", "udp", "icmp", "icmpv6"),
    ports: fc.oneof(list(port), fc.constant(["@ports"])),
    sourcePorts: list(port),
    icmpTypes: some(...icmpTypes),
    sources: addresses,
    destinations: addresses,
    inInterfaces: some("lo", "eth0", "wg*"),
    outInterfaces: some("lo", "eth*"),
    state: some("new", "established", "related", "invalid"),
    limit: fc.record({
      rate: fc.integer({ min: 1, max: 1000 }),
      per: fc.constantFrom("second", "minute", "hour", "day"),
      burst: fc.integer({ min: 1, max: 100 }),
    }),
    log: fc.record({ prefix: text, level: fc.constantFrom("warn", "notice", "info", "debug") }),
    counter: fc.boolean(),
    verdict: fc.constantFrom("accept", "drop", "reject", "return", "jump", "continue"),
    comment: text,
  },
  { requiredKeys: ["verdict", "counter"] },
)

const table = fc.record({
  family: fc.constantFrom("inet", "ip", "ip6"),
  hook: fc.constantFrom("input", "forward", "output", "prerouting", "postrouting"),
  priority: fc.integer({ min: -400, max: 400 }),
  policy: fc.constantFrom("accept", "drop"),
  rules: fc.array(rule, { maxLength: 6 }),
  four: list(four),
  six: list(six),
  ports: list(port),
})

type Drawn = typeof table extends fc.Arbitrary<infer T> ? T : never

/** As much of it as makes sense: rules that would be refused are left out one by one. */
function specOf(netns: string, drawn: Drawn): FirewallSpec | undefined {
  const { family, hook, priority, policy } = drawn
  const set = (type: string, elements: readonly (string | number)[]) => ({
    ...{ type, elements: elements.map(String) },
  })
  const sets = {
    ...(family === "ip6" ? {} : { four: set("ipv4_addr", drawn.four) }),
    ...(family === "ip" ? {} : { six: set("ipv6_addr", drawn.six) }),
    ports: set("inet_service", drawn.ports),
  }
  const make = (rules: readonly object[]) =>
    firewallSpec.parse({
      ...{ family, table: "setpoint_random", host: { netns }, sets },
      chains: { main: { hook, priority, policy, rules }, sub: {} },
    })
  if (wrongWith(make([])) !== undefined) return undefined
  const named = drawn.rules.map((one, index) => {
    const jump = one.verdict === "jump" ? { chain: "sub" } : {}
    return { ...one, id: `r${index}`, ...jump }
  })
  return make(named.filter((one) => wrongWith(make([one])) === undefined))
}

describe.skipIf(missing !== undefined)(`random tables ${missing ?? ""}`, () => {
  let space: Namespace
  beforeAll(() => {
    space = new Namespace("rand")
  })
  afterAll(() => space?.close())

  test("are taken, seen as declared, and changed ones are noticed", {
    timeout: 400_000,
  }, async () => {
    const driver = new FirewallDriver(systemClock, "/nowhere")
    await fc.assert(
      fc.asyncProperty(table, async (drawn) => {
        const spec = specOf(space.name, drawn)
        fc.pre(spec !== undefined)
        space.nft("flush", "ruleset")
        expect(await driver.act("create", spec)).toMatchObject({ kind: "done" })
        const seen = await driver.observe(spec)
        if (seen.kind !== "present") throw new Error(JSON.stringify(seen))
        expect(
          firstDifference(driver.kind, driver.target(spec).desired, seen.value),
        ).toBeUndefined()
        space.nft("add", "rule", spec.family, spec.table, "main", "counter")
        const later = await driver.observe(spec)
        if (later.kind !== "present") throw new Error(JSON.stringify(later))
        const difference = firstDifference(driver.kind, driver.target(spec).desired, later.value)
        expect(difference).toBe("chains.main.order")
        expect(await driver.act("update", spec)).toMatchObject({ kind: "done" })
        const healed = await driver.observe(spec)
        expect(healed).toMatchObject({ kind: "present", value: seen.value })
      }),
      { numRuns: full ? 200 : 12 },
    )
  })
})
