// Rollouts of simulated fleets, with everything that can happen: any strategy, versions that work,
// never start or flap, crashes of replicas, planes killed between any two writes.

import fc from "fast-check"
import { afterEach, describe, expect, it } from "vitest"
import { equalJson } from "../../../base/json.ts"
import { disarm } from "../../../base/protections.ts"
import type { SetSpec } from "./compose-set.ts"
import { type Behaviour, SimulatedFleet, templateOf } from "./testing/simulated-fleet.ts"

const numRuns = process.env.SETPOINT_TEST_FULL === "1" ? 10_000 : 1000

const strategies = fc
  .record({
    maxSurge: fc.integer({ min: 0, max: 3 }),
    maxUnavailable: fc.integer({ min: 0, max: 2 }),
    minReadySeconds: fc.constantFrom(0, 0, 2),
    progressDeadlineSeconds: fc.constantFrom(20, 60),
    rollback: fc.constant("Auto" as const),
  })
  .filter(({ maxSurge, maxUnavailable }) => maxSurge + maxUnavailable > 0)

const specs: fc.Arbitrary<SetSpec> = fc.record({
  replicas: fc.integer({ min: 1, max: 7 }),
  template: fc.constant(templateOf("v0", "good")),
  strategy: strategies,
  drainSeconds: fc.constantFrom(0, 3),
  ports: fc.constant({ base: 8000 }),
})

const passesMax = 1500

/** Passes until nothing more would be written; how many it took. */
function settle(fleet: SimulatedFleet, look: () => void = () => {}): number {
  for (let passes = 0; passes < passesMax; passes++) {
    const { againMs, children } = fleet.pass()
    look()
    const waits = [againMs, fleet.nextEventMs].filter((ms) => ms !== undefined)
    if (waits.length === 0 && children.length === fleet.objects.length) return passes
    fleet.tick(Math.min(5000, ...waits))
    look()
  }
  throw new Error(`not settled: ${JSON.stringify(fleet.status)}`)
}

/** As `expect` would, and fast enough for every step of thousands of stories. */
function within(what: string, value: number, least: number): void {
  if (value < least) throw new Error(`${what}: ${Math.abs(value)}, bound ${Math.abs(least)}`)
}

function settled(spec: SetSpec): SimulatedFleet {
  const fleet = new SimulatedFleet(spec)
  settle(fleet)
  return fleet
}

const condition = (fleet: SimulatedFleet, type: string) => {
  const all = fleet.status?.conditions
  const found = Array.isArray(all) ? all.find((one) => Object(one).type === type) : undefined
  return `${Object(found).status}/${Object(found).reason}`
}

describe("a set of replicas", () => {
  const armed: (() => void)[] = []
  afterEach(() => {
    for (const arm of armed.splice(0)) arm()
  })

  const upgrade = (spec: SetSpec, stops: readonly number[]) => {
    const fleet = settled(spec)
    const { replicas, strategy } = spec
    fleet.declare({ template: templateOf("v1", "good") })
    const kills = [...stops]
    const look = () => {
      within("in service", fleet.serving, replicas - strategy.maxUnavailable)
      within("in all", -fleet.objects.length, -replicas - strategy.maxSurge)
    }
    for (const writes of kills) {
      fleet.pass(writes)
      look()
      fleet.tick(700)
      look()
    }
    settle(fleet, look)
    expect(fleet.versions).toEqual(Array.from({ length: replicas }, () => "v1"))
    expect(fleet.directions).toHaveLength(2)
    expect(condition(fleet, "Progressing")).toBe("True/Complete")
  }
  const upgrades = fc.property(specs, fc.array(fc.nat(12), { maxLength: 12 }), upgrade)

  it("goes to a good version within its bounds, wherever the plane is killed", () => {
    fc.assert(upgrades, { numRuns })
  })

  it("would leave too few without the bound (twin)", () => {
    armed.push(disarm("rollout-keeps-availability"))
    expect(fc.check(upgrades, { numRuns: 200 }).failed).toBe(true)
  })

  const bad = fc.constantFrom<Behaviour>("never", "flaps")
  const failing = fc.property(
    specs,
    bad,
    fc.array(fc.nat(12), { maxLength: 12 }),
    (spec, behaviour, stops) => {
      // A version that is ready now and then passes when a moment of it is all that is asked for.
      const strategy = { ...spec.strategy, minReadySeconds: 2 }
      const fleet = settled({ ...spec, strategy })
      fleet.declare({ template: templateOf("v1", behaviour) })
      const good = () => fleet.versions.filter((version) => version === "v0").length
      const look = () => {
        within("good ones", good(), spec.replicas - strategy.maxUnavailable)
        within("in all", -fleet.objects.length, -spec.replicas - strategy.maxSurge)
      }
      for (const writes of stops) {
        fleet.pass(writes)
        look()
        fleet.tick(1000)
      }
      settle(fleet, look)
      expect(fleet.versions).toEqual(Array.from({ length: spec.replicas }, () => "v0"))
      expect(condition(fleet, "Progressing")).toBe("False/RolledBack")
      // There, and back once.
      expect(fleet.directions).toHaveLength(3)
      for (let pass = 0; pass < 10; pass++) {
        fleet.tick(50_000)
        expect(fleet.pass().children).toHaveLength(spec.replicas)
      }
      expect(fleet.directions).toHaveLength(3)
      fleet.declare({ template: templateOf("v2", "good") })
      settle(fleet)
      expect(fleet.versions).toEqual(Array.from({ length: spec.replicas }, () => "v2"))
    },
  )

  it("goes back from a bad version once, and tries it again only when it is declared anew", () => {
    fc.assert(failing, { numRuns: numRuns / 2 })
  })

  it("would try a bad version again and again without its memory (twin)", () => {
    armed.push(disarm("failed-revision-stays-failed"))
    expect(fc.check(failing, { numRuns: 5 }).failed).toBe(true)
  })

  type Event =
    | { readonly do: "crash"; readonly which: number }
    | { readonly do: "scale"; readonly to: number }
    | { readonly do: "version"; readonly to: number; readonly behaviour: Behaviour }
    | { readonly do: "kill"; readonly writes: number }
    | { readonly do: "away"; readonly ms: number }
  const events: fc.Arbitrary<Event> = fc.oneof(
    fc.record({ do: fc.constant("crash" as const), which: fc.nat(10) }),
    fc.record({ do: fc.constant("scale" as const), to: fc.nat(8) }),
    fc.record({
      do: fc.constant("version" as const),
      to: fc.nat(3),
      behaviour: fc.constantFrom<Behaviour>("good", "good", "never", "flaps"),
    }),
    fc.record({ do: fc.constant("kill" as const), writes: fc.nat(10) }),
    fc.record({ do: fc.constant("away" as const), ms: fc.nat(300_000) }),
  )

  it("converges and goes quiet after any story, once the stories end", () => {
    const story = fc.array(fc.record({ event: events, passes: fc.nat(8) }), { maxLength: 10 })
    const told = fc.property(specs, story, (spec, steps) => {
      const fleet = settled(spec)
      let most = spec.replicas
      for (const { event, passes } of steps) {
        play(fleet, event)
        most = Math.max(most, fleet.spec.replicas)
        for (let pass = 0; pass < passes; pass++) {
          fleet.pass()
          within("in all", -fleet.objects.length, -most - spec.strategy.maxSurge)
          fleet.tick(1000)
        }
      }
      fleet.declare({ replicas: Math.max(1, fleet.spec.replicas) })
      fleet.declare({ template: templateOf("last", "good") })
      settle(fleet)
      expect(new Set(fleet.versions)).toEqual(new Set(["last"]))
      expect(fleet.objects).toHaveLength(fleet.spec.replicas)
      const slots = fleet.objects.map(({ metadata }) => metadata.name.split("-").at(-1))
      expect(new Set(slots).size).toBe(slots.length)
      const status = fleet.status
      fleet.tick(60_000)
      expect(equalJson(fleet.pass().status, status)).toBe(true)
    })
    fc.assert(told, { numRuns })
  })

  function play(fleet: SimulatedFleet, event: Event): void {
    if (event.do === "crash") fleet.crash(event.which)
    if (event.do === "scale") fleet.declare({ replicas: event.to })
    if (event.do === "kill") fleet.pass(event.writes)
    if (event.do === "away") fleet.tick(event.ms)
    if (event.do === "version") {
      fleet.declare({ template: templateOf(`v${event.to}`, event.behaviour) })
    }
  }
})
