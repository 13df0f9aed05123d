import { describe, expect, it } from "vitest"
import type { Store, Write } from "../contract/store.ts"
import { SimClock } from "../sim/sim-clock.ts"
import { SimRandom } from "../sim/sim-random.ts"
import { openMemoryStore } from "../store/open-memory-store.ts"
import { Budgets } from "./budgets.ts"
import { createLedgerTime } from "./ledger-time.ts"

const minute = 60_000
const hour = 60 * minute
const loop = "default.site"

function fixture() {
  const clock = new SimClock()
  return { clock, budgets: new Budgets(createLedgerTime(clock)) }
}

const grant = (uid: string, at: number, plan?: string) => ({
  uid,
  loop,
  at,
  principal: "ann",
  cause: "asked",
  ...(plan === undefined ? {} : { plan }),
})

async function stored(writes: readonly (Write | undefined)[]): Promise<Store> {
  const store = await openMemoryStore({ clock: new SimClock(), random: new SimRandom(1) })
  const real = writes.filter((write) => write !== undefined)
  const last = new Map(real.map((write) => [write.key, write]))
  await store.commit([], [...last.values()])
  return store
}

describe("the window of deletes", () => {
  it("counts what it paid for, and not what a person approved", async () => {
    const { clock, budgets } = fixture()
    budgets.grant(grant("a", clock.now()))
    budgets.grant(grant("b", clock.now(), "site-1"))
    expect(budgets.deletesInWindow(loop, 10 * minute)).toBe(1)
    expect(budgets.deletesInWindow("default.other", 10 * minute)).toBe(0)
    await clock.advance(10 * minute + 1)
    expect(budgets.deletesInWindow(loop, 10 * minute)).toBe(0)
    expect(budgets.grantOf("a")?.principal).toBe("ann")
  })

  it("gives back what was revoked, and forgets only what is old and not live", async () => {
    const { clock, budgets } = fixture()
    for (const uid of ["a", "b", "c"]) budgets.grant(grant(uid, clock.now()))
    expect(budgets.revoke("a")).toMatchObject({ kind: "delete" })
    expect(budgets.revoke("a")).toBeUndefined()
    expect(budgets.deletesInWindow(loop, minute)).toBe(2)
    await clock.advance(hour)
    expect(budgets.expired(loop, 2 * hour, () => false)).toEqual([])
    expect(budgets.expired(loop, minute, (uid) => uid === "b")).toHaveLength(1)
    expect([budgets.grantOf("b")?.uid, budgets.grantOf("c")]).toEqual(["b", undefined])
  })

  it("is not moved by a wall clock that jumps", async () => {
    const { clock, budgets } = fixture()
    budgets.grant(grant("a", clock.now()))
    budgets.debitChange(loop)
    clock.jumpWall(24 * hour)
    expect(budgets.deletesInWindow(loop, 10 * minute)).toBe(1)
    expect(budgets.changesInWindow(loop, 10 * minute)).toBe(1)
    clock.jumpWall(-48 * hour)
    await clock.advance(11 * minute)
    expect(budgets.deletesInWindow(loop, 10 * minute)).toBe(0)
    expect(budgets.changesInWindow(loop, 10 * minute)).toBe(0)
  })
})

describe("the window of changes", () => {
  it("counts, gives back and says when there is room again", async () => {
    const { clock, budgets } = fixture()
    for (let count = 0; count < 3; count++) budgets.debitChange(loop)
    await clock.advance(5 * minute)
    budgets.debitChange(loop)
    expect(budgets.changesInWindow(loop, 10 * minute)).toBe(4)
    budgets.refundChange(loop)
    expect(budgets.changesInWindow(loop, 10 * minute)).toBe(3)
    expect(budgets.nextChangeSlotMs(loop, 10 * minute)).toBe(5 * minute)
    await clock.advance(5 * minute)
    expect(budgets.changesInWindow(loop, 10 * minute)).toBe(0)
    expect(budgets.nextChangeSlotMs(loop, 10 * minute)).toBe(0)
  })

  it("stays a small document after a busy day, and lets nothing leave too soon", async () => {
    const { clock, budgets } = fixture()
    const everySeconds = 20
    let bytes = 0
    for (let count = 0; count < (25 * 3600) / everySeconds; count++) {
      await clock.advance(everySeconds * 1000)
      const write = budgets.debitChange(loop)
      bytes = write.kind === "put" ? write.value.length : 0
    }
    expect(bytes).toBeLessThan(64 * 1024)
    const made = (windowMs: number) => windowMs / 1000 / everySeconds
    expect(budgets.changesInWindow(loop, 10 * minute)).toBe(made(10 * minute))
    for (const windowMs of [hour, 24 * hour]) {
      const counted = budgets.changesInWindow(loop, windowMs)
      expect(counted).toBeGreaterThanOrEqual(made(windowMs))
      expect(counted).toBeLessThanOrEqual(made(windowMs + minute))
    }
  })

  it("never goes below nothing", () => {
    const { budgets } = fixture()
    budgets.refundChange(loop)
    expect(budgets.changesInWindow(loop, minute)).toBe(0)
  })
})

describe("the baseline", () => {
  it("is the smallest inventory of the last day, and now when that is smaller", async () => {
    const { clock, budgets } = fixture()
    expect(budgets.baseline(loop, 7)).toBe(7)
    budgets.noteInventory(loop, 10)
    await clock.advance(hour)
    budgets.noteInventory(loop, 1000)
    expect(budgets.baseline(loop, 1000)).toBe(10)
    expect(budgets.baseline(loop, 5)).toBe(5)
    await clock.advance(23 * hour)
    expect(budgets.baseline(loop, 1000)).toBe(10)
    await clock.advance(2 * hour)
    expect(budgets.baseline(loop, 1000)).toBe(1000)
  })

  it("writes only when it moved, and nothing for a loop that never owned anything", () => {
    const { budgets } = fixture()
    expect(budgets.noteInventory(loop, 0)).toBeUndefined()
    expect(budgets.noteInventory(loop, 3)).toBeDefined()
    expect(budgets.noteInventory(loop, 3)).toBeUndefined()
    expect(budgets.noteInventory(loop, 0)).toBeDefined()
  })

  it("does not forget how small it was, however often it moved since", async () => {
    const { clock, budgets } = fixture()
    budgets.noteInventory(loop, 2)
    for (let count = 0; count < 1500; count++) {
      await clock.advance(1000)
      budgets.noteInventory(loop, 100 + (count % 2))
    }
    expect(budgets.baseline(loop, 100)).toBe(2)
  })
})

it("all of it survives a restart", async () => {
  const { clock, budgets } = fixture()
  const store = await stored([
    budgets.grant(grant("a", clock.now())),
    budgets.debitChange(loop),
    budgets.debitChange(loop),
    budgets.noteInventory(loop, 4),
  ])
  const again = new Budgets(createLedgerTime(clock))
  await again.open(store)
  expect(again.deletesInWindow(loop, minute)).toBe(1)
  expect(again.changesInWindow(loop, minute)).toBe(2)
  expect(again.baseline(loop, 100)).toBe(4)
})
