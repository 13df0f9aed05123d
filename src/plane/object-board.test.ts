import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ObjectBoard } from "./object-board.ts"

describe("the board of changed objects", () => {
  it("tells every change once, in pages, and nothing when nothing came", () => {
    const keys = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 })
    fc.assert(
      fc.property(keys, keys, fc.integer({ min: 1, max: 3 }), (before, after, limit) => {
        const board = new ObjectBoard()
        for (const key of before) board.note(key)
        let at = board.last
        for (const key of after) board.note(key)
        const told = new Set<string>()
        for (;;) {
          const page = board.since(at, limit)
          if (page === undefined) throw new Error("it was forgotten")
          expect(page.keys.length).toBeLessThanOrEqual(limit)
          for (const key of page.keys) told.add(key)
          at = page.upTo
          if (!page.more) break
        }
        expect(told).toEqual(new Set(after))
        expect(board.since(at, limit)).toEqual({ keys: [], upTo: board.last, more: false })
      }),
      { numRuns: 100 },
    )
  })

  it("says when it does not remember, instead of leaving changes out", () => {
    const board = new ObjectBoard()
    for (let count = 0; count < 100_001; count++) board.note(`k${count}`)
    expect(board.since(0, 10)).toBeUndefined()
    expect(board.since(board.last + 1, 10)).toBeUndefined()
    expect(board.since(board.last - 1, 10)?.keys).toEqual(["k100000"])
  })
})
