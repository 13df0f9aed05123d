import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { RowHeights } from "./tall-list.tsx"

describe("heights of rows", () => {
  it("find the row at any place, whatever was guessed and measured", () => {
    const heights = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 60 })
    const measured = fc.array(fc.tuple(fc.nat(59), fc.integer({ min: 1, max: 500 })))
    fc.assert(
      fc.property(heights, measured, (guesses, changes) => {
        const rows = new RowHeights(guesses.length, (index) => guesses[index] ?? 0)
        const real = [...guesses]
        for (const [index, height] of changes) {
          if (index >= real.length) continue
          rows.measured(index, height)
          real[index] = height
        }
        let top = 0
        for (const [index, height] of real.entries()) {
          expect(rows.top(index)).toBe(top)
          expect(rows.at(top)).toBe(index)
          expect(rows.at(top + height - 1)).toBe(index)
          top += height
        }
        expect(rows.total).toBe(top)
      }),
      { numRuns: 100 },
    )
  })
})
