import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { finishAction } from "../contract/action.ts"
import type { Write } from "../contract/store.ts"
import { SimClock } from "../sim/sim-clock.ts"
import { SimRandom } from "../sim/sim-random.ts"
import { maxValueBytes } from "../store/limits.ts"
import { openMemoryStore } from "../store/open-memory-store.ts"
import { decodeDocument, ledgerKeys } from "./keys.ts"
import { type HeldAction, type PlanDocument, PlanLedger } from "./plan-ledger.ts"
import { dropWrites, headWrite, pageWrites, readPlan, type StoredPlan } from "./plan-pages.ts"

function heldOf(index: number): HeldAction {
  const action = finishAction({
    ...{ verb: "delete", uid: `u${index}`, object: `files/default/f${index}`, kind: "File" },
    ...{ loop: "default.site", target: `file:/t/f${index}`, generation: 1, incarnation: 1 },
    ...{ changes: [], cause: { kind: "prune", text: "no longer in the source" } },
  })
  const reasons = [{ guard: "delete-limit", code: "DeleteLimit", message: "x".repeat(400) }]
  return { action, origin: "prune", reasons, desiredHash: "" }
}

function planOf(count: number, change: Partial<PlanDocument> = {}): PlanDocument {
  const held = Array.from({ length: count }, (_, index) => heldOf(index))
  return {
    ...{ format: 1, name: "site-1", loop: "default.site", hash: "h", phase: "Pending", held },
    ...{ createdAt: "2031-01-01T00:00:00Z", approvals: [], done: [], ...change },
  }
}

function readBack(writes: readonly Write[], plan: PlanDocument): PlanDocument | undefined {
  const values = new Map(
    writes.flatMap((write) => (write.kind === "put" ? [[write.key, write.value] as const] : [])),
  )
  const read = <T>(key: string): T | undefined => {
    const value = values.get(key)
    return value === undefined ? undefined : decodeDocument<T>(value)
  }
  const { loop, name } = plan
  const head = read<StoredPlan>(ledgerKeys.plan(loop, name))
  if (head === undefined) return undefined
  return readPlan(head, (page) => read(ledgerKeys.planPage(loop, name, page)))
}

const sizes = (writes: readonly Write[]) =>
  writes.map((write) => (write.kind === "put" ? write.value.length : 0))

describe("a plan in the store", () => {
  it("comes back as it was, whatever was approved and done of it", () => {
    const places = fc.uniqueArray(fc.nat(59))
    fc.assert(
      fc.property(fc.nat(60), places, places, fc.boolean(), (count, first, second, some) => {
        const bare = planOf(count)
        const digest = (place: number) => bare.held[place]?.action.digest ?? `other-${place}`
        const sorted = (chosen: readonly number[]) => {
          const own = chosen.filter((place) => place < count).sort((a, b) => a - b)
          return [...own, ...chosen.filter((place) => place >= count)].map(digest)
        }
        const approval = { principal: "ann", at: "now", expiresAt: 7, digests: sorted(first) }
        const plan: PlanDocument = {
          ...bare,
          approvals: [approval, { principal: "bob", at: "later" }],
          done: sorted(second),
          ...(some ? { approved: sorted(first) } : {}),
        }
        expect(readBack([...pageWrites(plan), headWrite(plan)], plan)).toEqual(plan)
      }),
      { numRuns: 200 },
    )
  })

  it("never has a value that is too large, and a head that stays small", () => {
    const bare = planOf(6000)
    const all = bare.held.map(({ action }) => action.digest)
    const plan = { ...bare, approved: all, done: all.slice(0, 5000) }
    expect(Math.max(...sizes(pageWrites(plan)))).toBeLessThan(maxValueBytes / 2)
    expect(sizes([headWrite(plan)])[0]).toBeLessThan(1000)
    expect(readBack([...pageWrites(plan), headWrite(plan)], plan)).toEqual(plan)
  })

  it("is not there when a page is missing", () => {
    const plan = planOf(2000)
    const [first, ...pages] = pageWrites(plan)
    expect(pages.length).toBeGreaterThan(0)
    expect(readBack([...pages, headWrite(plan)], plan)).toBeUndefined()
    expect(first?.kind).toBe("put")
  })

  it("goes as a whole", () => {
    const plan = planOf(2000)
    const keys = [...pageWrites(plan), headWrite(plan)].map((write) => write.key)
    expect(
      dropWrites(plan)
        .map((write) => write.key)
        .sort(),
    ).toEqual(keys.sort())
  })

  it("is read as it was written before there were pages", () => {
    const plan = planOf(3)
    expect(readPlan(plan, () => undefined)).toEqual(plan)
  })
})

describe("the ledger's plans", () => {
  it("drop what a crash left: pages without a head, a head without its pages", async () => {
    const store = await openMemoryStore({ clock: new SimClock(), random: new SimRandom(1) })
    const [whole, headless, pageless] = ["a", "b", "c"].map((name) => ({ ...planOf(3), name }))
    if (whole === undefined || headless === undefined || pageless === undefined) return
    const writes = [
      ...[...pageWrites(whole), headWrite(whole)],
      ...pageWrites(headless),
      headWrite(pageless),
    ]
    await store.commit([], writes)
    const plans = new PlanLedger()
    await plans.open(store)
    expect(plans.all()).toEqual([whole])
    const dropped = plans.dropLoose().map((write) => write.key)
    expect(dropped.sort()).toEqual(
      [ledgerKeys.planPage("default.site", "b", 0), ledgerKeys.plan("default.site", "c")].sort(),
    )
    expect(plans.dropLoose()).toEqual([])
  })
})
