import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Unconverged } from "./reporter.ts"
import { UnconvergedBook } from "./unconverged-book.ts"

const keys = ["a", "b", "c", "d", "e"]
const entry = fc.record({
  key: fc.constantFrom(...keys),
  loop: fc.constantFrom("x", "y"),
  state: fc.constantFrom("held" as const, "stuck" as const, "retrying" as const),
  reason: fc.constantFrom("Unknown", "NotObservable", "DeleteHeld"),
  since: fc.nat(20),
})

describe("UnconvergedBook", () => {
  it("says the same as a walk over all of them, whatever comes and goes", () => {
    const step = fc.oneof(entry, fc.constantFrom(...keys))
    const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const book = new UnconvergedBook()
      const plain = new Map<string, Unconverged>()
      for (const one of steps) {
        if (typeof one === "string") {
          book.delete(one)
          plain.delete(one)
          continue
        }
        const whole = { ...one, message: "", classSince: 0, attempts: 1 }
        book.set(whole)
        plain.set(one.key, whole)
      }
      for (const loop of ["x", "y", "none"]) {
        const mine = [...plain.values()].filter((one) => one.loop === loop)
        expect(book.count(loop)).toBe(mine.length)
        const oldest = mine.length === 0 ? undefined : Math.min(...mine.map((one) => one.since))
        expect(book.oldestSince(loop)).toBe(oldest)
        for (const state of ["held", "stuck", "retrying"] as const) {
          const count = mine.filter((one) => one.state === state).length
          expect(book.states(loop).get(state) ?? 0).toBe(count)
        }
        expect(book.doubts(loop)).toBe(mine.filter(({ reason }) => reason !== "DeleteHeld").length)
      }
      expect(
        book
          .all()
          .map(({ key }) => key)
          .sort(),
      ).toEqual([...plain.keys()].sort())
    })
    fc.assert(property, { numRuns: 300 })
  })
})
