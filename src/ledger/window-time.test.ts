import { describe, expect, it } from "vitest"
import { SimClock } from "../sim/sim-clock.ts"
import { SimRandom } from "../sim/sim-random.ts"
import { openMemoryStore } from "../store/open-memory-store.ts"
import { Budgets } from "./budgets.ts"
import { WindowTime } from "./window-time.ts"

const minute = 60_000

async function fixture() {
  const clock = new SimClock()
  const store = await openMemoryStore({ clock, random: new SimRandom(1) })
  return { clock, store }
}

describe("window time", () => {
  it("goes on over a restart by what has provably passed, and not by the wall clock", async () => {
    const { clock, store } = await fixture()
    const before = new WindowTime(clock)
    const start = before.now()
    await store.commit([], before.stamp())
    await clock.advance(5 * minute)
    clock.jumpWall(9 * 60 * minute)
    const same = new WindowTime(clock)
    await same.open(store)
    expect(same.now() - start).toBe(5 * minute)
    clock.reboot()
    const anew = new WindowTime(clock)
    await anew.open(store)
    expect(anew.now()).toBe(start)
    await clock.advance(minute)
    expect(anew.now() - start).toBe(minute)
    await store.close()
  })

  it("is stamped at most once a second", async () => {
    const clock = new SimClock()
    const time = new WindowTime(clock)
    expect(time.stamp()).toHaveLength(1)
    await clock.advance(999)
    expect(time.stamp()).toHaveLength(0)
    await clock.advance(1)
    expect(time.stamp()).toHaveLength(1)
  })
})

describe("admitted acts that wait for their turn", () => {
  it("take their place in the loop's window and in that of all loops", () => {
    const budgets = new Budgets(new WindowTime(new SimClock()))
    budgets.reservedOf("default.site").set("a", 3)
    expect(budgets.deletesInWindow("default.site", minute)).toBe(3)
    expect(budgets.deletesInWindow("default.other", minute)).toBe(0)
    expect(budgets.deletesEverywhere(minute)).toBe(3)
  })
})

describe("an open permission", () => {
  it("counts however old, then from when it began, and leaves when it is over", async () => {
    const clock = new SimClock()
    const budgets = new Budgets(new WindowTime(clock))
    const by = { principal: "ann", cause: "asked" }
    budgets.grant({ uid: "a", loop: "l", at: budgets.now(), open: true, ...by })
    await clock.advance(9 * minute)
    expect(budgets.deletesInWindow("l", minute)).toBe(1)
    budgets.begin("a")
    budgets.settle("a")
    expect(budgets.deletesInWindow("l", minute)).toBe(1)
    await clock.advance(minute)
    expect(budgets.deletesInWindow("l", minute)).toBe(0)
  })
})
