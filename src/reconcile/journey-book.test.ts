import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { reconcileFault } from "./faults.ts"
import { type Journey, JourneyBook } from "./journey-book.ts"

function opened() {
  let now = 0
  const ended: Journey[] = []
  const clock = { now: () => now, monotonic: () => now, after: () => ({ cancel: () => {} }) }
  const book = new JourneyBook(clock, (journey) => ended.push(journey))
  const pass = (ms: number) => {
    now += ms
  }
  return { book, ended, pass }
}

const settled = { kind: "settled" } as const
const round = { kind: "wait", reason: "its round" } as const
const fault = reconcileFault("SPT-LOOP-005", { object: "a" })
const hold = { kind: "hold", reasons: [] } as const
const limit = [{ guard: "change-limit", code: "ChangeLimit", message: "" }]

describe("JourneyBook", () => {
  it("counts every moment of a way from declaration to convergence in one part", () => {
    const { book, ended, pass } = opened()
    book.declared("a", "l")
    pass(5)
    book.taken("a", "l", 5)
    pass(30)
    book.limited("a", 20)
    expect(book.passed("a", round, true)).toBe("proposed")
    pass(50)
    book.judged("a", { kind: "wait", reasons: limit })
    pass(100)
    book.taken("a", "l", 10)
    pass(1)
    book.passed("a", round, true)
    book.judged("a", hold)
    pass(1000)
    book.taken("a", "l", 0)
    book.passed("a", round, true)
    book.judged("a", { kind: "allow", reasons: [] })
    pass(7)
    book.acting("a")
    pass(200)
    book.taken("a", "l", 0) // Its pass finds it acting.
    book.passed("a", { kind: "wait", reason: "its act is under way" }, false)
    pass(200)
    book.acted("a", true)
    pass(3)
    book.taken("a", "l", 3)
    pass(4)
    expect(book.passed("a", settled, false)).toBe("converged")
    expect(ended).toEqual([
      {
        loop: "l",
        totalMs: 1600,
        partsMs: {
          ...{ queue: 18, observe: 15, round: 57, hold: 1000 },
          ...{ rate_limit: 110, provider: 400, wait: 0 },
        },
      },
    ])
    expect(book.size).toBe(0)
  })

  it("takes a pass that finds nothing to do for no journey", () => {
    const { book, ended } = opened()
    book.taken("a", "l", 10)
    expect(book.passed("a", settled, false)).toBe("noop")
    book.declared("a", "l")
    book.taken("a", "l", 10)
    expect(book.passed("a", settled, false)).toBe("noop")
    expect([ended, book.size]).toEqual([[], 0])
  })

  it("begins where the queue began when a look finds drift", () => {
    const { book, ended, pass } = opened()
    pass(100)
    book.taken("a", "l", 40)
    book.passed("a", { kind: "retry", fault }, false)
    pass(60)
    book.taken("a", "l", 0)
    book.passed("a", settled, false)
    expect(ended[0]).toMatchObject({ totalMs: 100, partsMs: { queue: 40, wait: 60 } })
  })

  it("has parts that add up, whatever happens in whatever order", () => {
    const step = fc.tuple(
      fc.constantFrom("declared", "taken", "limited", "round", "retry", "hold", "act", "acted"),
      fc.nat(1000),
      fc.nat(1000),
    )
    const property = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { book, ended, pass } = opened()
      for (const [what, ms, waited] of steps) {
        pass(ms)
        if (what === "declared") book.declared("a", "l")
        else if (what === "taken") book.taken("a", "l", waited)
        else if (what === "limited") book.limited("a", waited)
        else if (what === "round") book.passed("a", round, true)
        else if (what === "retry") book.passed("a", { kind: "retry", fault }, false)
        else if (what === "hold") book.judged("a", hold)
        else if (what === "act") book.acting("a")
        else book.acted("a", ms % 2 === 0)
      }
      book.passed("a", settled, false)
      for (const { totalMs, partsMs } of ended) {
        const parts = Object.values(partsMs)
        expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(totalMs, 6)
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(0)
      }
    })
    fc.assert(property, { numRuns: 200 })
  })
})
