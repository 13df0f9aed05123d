// Scenarios about moments: somebody else changes the target between plan and act, and the plane
// dies in the middle of an act.

import type { ActResult } from "../../contract/provider.ts"
import { must, Violation } from "../conformance/bench.ts"
import type { PortCall } from "../conformance/world-tap.ts"
import type { ActVerb } from "./hooked-kind.ts"
import { type Scenario, wide } from "./scenario.ts"
import { heldAs } from "./scenarios-calm.ts"
import type { Facts, Stage, Wanted } from "./stage.ts"

export const stale: Scenario = {
  name: "stale",
  promise: "An act on what somebody changed after the plan is refused and changes nothing.",
  loop: { ...wide, onConflict: "DeclaredWins" },
  async play(stage) {
    await stage.settle(0, 1, 2)
    const [field] = Object.keys(stage.system.drifts)
    must(field !== undefined, "no field can drift")
    const change = async (n: number) => stage.system.drifts[field]?.(stage.spec(n))
    if (stage.kind.identityRule === "derived") {
      await refused(
        stage,
        "create",
        3,
        async () => stage.system.make(stage.spec([3, 1])),
        () => stage.declare(0, 1, 2, 3),
      )
      await heldAs(stage, "adopt")
    }
    const updated = () => stage.declare([0, 1], 1, 2)
    await refused(stage, "update", 0, () => change(0), updated)
    await stage.becomes("the update is made on what is there now", [0, 1])
    await refused(
      stage,
      "delete",
      1,
      () => change(1),
      () => stage.declare([0, 1], 2),
    )
    return undefined
  },
}

/** Meddles right before the provider's act, and holds it to refusing. */
async function refused(
  stage: Stage,
  verb: ActVerb,
  n: number,
  meddle: () => Promise<void>,
  ask: () => void,
): Promise<void> {
  const identity = stage.identity(n)
  let before: Facts | undefined
  let after: { facts: Facts; result: ActResult | undefined } | undefined
  stage.hooks = {
    before: async (asked, target) => {
      if (asked !== verb || target.identity !== identity || before !== undefined) return
      await meddle()
      before = await stage.snapshot()
    },
    after: async (asked, target, result) => {
      if (asked !== verb || target.identity !== identity || before === undefined) return
      after ??= { facts: await stage.snapshot(), result }
    },
  }
  ask()
  await stage.untilLooking(`a stale ${verb} is tried`, async () => after !== undefined || "not yet")
  stage.hooks = {}
  const kept = before?.get(identity) === after?.facts.get(identity)
  must(kept, `a stale ${verb} changed what somebody had made`)
  const said = after?.result?.kind ?? "unknown"
  must(said === "failed", `a stale ${verb} answered ${said}`)
}

export const planeKilled: Scenario = {
  name: "plane-killed",
  promise: "A plane that dies at any point of an act goes on afterwards: one target, none lost.",
  loop: wide,
  // After a create whose end is unknown a plane looks for long before it makes another.
  hurry: 2,
  async play(stage) {
    let standing: readonly Wanted[] = [0, 1, 2]
    await stage.settle(...standing)
    let samples = 2
    let reached = true
    const { crashes } = stage.parts
    for (let point = 1; reached && point <= crashes; point++) {
      reached = false
      for (const side of ["before", "after"] as const) {
        const n = ++samples
        const made = await dies(stage, { point, side }, ...standing, n)
        const changed = await dies(stage, { point, side }, ...standing, [n, 1])
        standing = [...standing, [n, 1] as const].slice(1)
        const gone = await dies(stage, { point, side }, ...standing)
        reached ||= made || changed || gone
      }
    }
    return undefined
  },
}

interface Death {
  readonly point: number
  readonly side: "before" | "after"
}

/** Declares this, kills the plane there, opens it again; true when an act got so far. */
async function dies(stage: Stage, death: Death, ...wanted: readonly Wanted[]): Promise<boolean> {
  const { plane } = stage
  let hit: PortCall | undefined
  let count = 0
  const die = (call: PortCall) => {
    hit = call
    plane.kill()
    throw new Violation("the process has crashed")
  }
  stage.calls = {
    before: (call) => {
      if (++count === death.point && death.side === "before") die(call)
    },
    after: (call) => {
      if (count >= death.point && death.side === "after") die(call)
    },
  }
  stage.declare(...wanted)
  await stage.until("the plane dies or is done", async () => {
    try {
      return hit !== undefined || (await done(stage, wanted)) || stage.whatWaits()
    } catch (error) {
      // It may have died while it was asked.
      if (hit !== undefined) return true
      throw error
    }
  })
  stage.calls = {}
  const where = `a crash ${death.side} port call ${death.point} (${hit?.name})`
  if (hit !== undefined) await plane.reopen()
  await stage.becomes(`after ${where} it goes on`, ...wanted)
  await stage.settled(...wanted)
  const size = (await stage.snapshot()).size
  must(size === wanted.length, `after ${where}: ${size} targets, ${wanted.length} wanted`)
  return hit !== undefined
}

async function done(stage: Stage, wanted: readonly Wanted[]): Promise<boolean> {
  const size = (await stage.snapshot()).size
  if (size !== wanted.length) return false
  return stage.isReady(wanted)
}
