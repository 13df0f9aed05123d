// The race of October 2025: a planner makes ever newer plans, two enactors carry them out, one of
// them is slow. Its write of an old plan lands after the other one has applied a newer plan and
// cleaned the old one up: the live record points to nothing, and automation can't heal it.
//
// Here `live` is the record (its color names a plan) and `plan-N` are the plans. Any single
// protection may be gone: the others stop it. With all of them gone it happens.

import { afterEach, describe, expect, it } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import { disarm, type Protection } from "../../src/base/protections.ts"
import { widget } from "../sim/site.ts"
import { TwoPlanes } from "./two-planes.ts"

const plan = (name: string) => [widget("live", { color: name }), widget(name, { color: name })]

/** Others that make the loop large enough for limits to mean something. */
const others = ["a", "b", "c", "d"].map((name) => widget(name))

interface Outcome {
  /** What the live record names, and whether that is there. */
  readonly live: string | undefined
  readonly reachable: boolean
  /** Virtual seconds, of those after the new plan was live, in which the record named nothing. */
  readonly lostSeconds: number
}

async function replay(loop: JsonObject = {}, withInvariant = true): Promise<Outcome> {
  const race = new TwoPlanes()
  const { clock, world, first, second } = race
  const limits = { deletes: 5, deletesPercent: 100 }
  await race.startFirst({ interval: "10s", limits, ...loop })
  first.source.declare([...plan("plan-1"), ...others])
  await clock.advance(5000)
  if (withInvariant) await race.apply("invariants", liveIsThere)
  // E1 takes plan 3, passes every check, and is unusually slow at the one endpoint that matters.
  world.faults.add({ how: "late", ms: 40_000, on: ["update"], identity: "live", times: 1 })
  first.source.declare([...plan("plan-3"), widget("plan-1", { color: "plan-1" }), ...others])
  await clock.advance(2000)
  // E2 takes plan 9, applies it everywhere, and cleans up what is much older.
  await race.startSecond()
  for (const { source } of [second, first]) source.declare([...plan("plan-9"), ...others])
  let lostSeconds = 0
  let wasLive = false
  for (let second = 0; second < 300; second++) {
    await clock.advance(1000)
    const { live, reachable } = look(world)
    wasLive ||= live === "plan-9"
    if (wasLive && !reachable) lostSeconds++
  }
  return { ...look(world), lostSeconds }
}

function look(world: TwoPlanes["world"]) {
  const live = world.find("live")[0]?.value.color
  const name = typeof live === "string" ? live : undefined
  return { live: name, reachable: name !== undefined && world.find(name).length > 0 }
}

const liveIsThere = {
  apiVersion: "setpoint.dev/v1alpha1",
  kind: "Invariant",
  metadata: { name: "live-is-there", namespace: "default" },
  spec: {
    loop: "site",
    kinds: ["Widget"],
    expression:
      "objects.filter(l, l.name == 'live').all(l, objects.exists(p, p.name == l.spec.color))",
    message: "the live record names a plan that is there",
  },
}

let armed: (() => void)[] = []
afterEach(() => {
  for (const arm of armed.splice(0)) arm()
})
const without = (...names: readonly Protection[]) => {
  armed = [...armed, ...names.map((name) => disarm(name))]
}

/** One look of the loop, which is how long self-healing may take when the write got through. */
const oneLook = 11

describe("an old plan that lands late (AWS DynamoDB, October 2025)", () => {
  it("never makes the live record name a plan that is gone", async () => {
    expect(await replay()).toEqual({ live: "plan-9", reachable: true, lostSeconds: 0 })
  })

  it.each<[string, Protection]>([
    ["compare-and-set at the endpoint", "token-at-the-effect"],
    ["the fence of the older writer", "epoch-fence"],
    ["the check that what was judged is still wanted", "judged-is-still-wanted"],
    ["the invariant that the live plan exists", "invariant-denies"],
    ["new before old", "new-before-old"],
    ["the hold on emptying", "emptying-holds"],
    ["the check that our own write is read again", "read-after-own-write"],
  ])("is stopped without %s as well", async (_what, protection) => {
    without(protection)
    const outcome = await replay()
    expect(outcome).toMatchObject({ live: "plan-9", reachable: true })
    expect(outcome.lostSeconds).toBeLessThanOrEqual(oneLook)
  })

  it("is stopped without self-healing as well", async () => {
    const outcome = await replay({ onDrift: "Report" })
    expect(outcome).toEqual({ live: "plan-9", reachable: true, lostSeconds: 0 })
  })

  it("is stopped without an invariant as well", async () => {
    expect(await replay({}, false)).toMatchObject({ live: "plan-9", reachable: true })
  })

  it("happens when nothing protects: the replay can fail", async () => {
    without("token-at-the-effect", "epoch-fence", "judged-is-still-wanted", "invariant-denies")
    const outcome = await replay({ onDrift: "Report", onConflict: "ObservedWins" }, false)
    expect(outcome.reachable).toBe(false)
    expect(outcome.lostSeconds).toBeGreaterThan(60)
  })
})
