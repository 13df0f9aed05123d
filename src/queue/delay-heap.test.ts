import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Delayed, DelayHeap } from "./delay-heap.ts"

describe("DelayHeap", () => {
  it("gives items back in order of time, then of arrival, whatever was moved or removed", () => {
    const input = fc.array(
      fc.record({ dueAt: fc.nat(20), earlierBy: fc.nat(5), removed: fc.boolean() }),
      { maxLength: 60 },
    )
    const property = fc.property(input, (rows) => {
      const heap = new DelayHeap<Delayed>()
      const items = rows.map((row, order) => ({ dueAt: row.dueAt, order, place: -1 }))
      for (const item of items) heap.push(item)
      rows.forEach((row, index) => {
        const item = items[index]
        if (item === undefined) return
        item.dueAt -= row.earlierBy
        heap.moveEarlier(item)
        if (row.removed) heap.remove(item)
      })
      const out: Delayed[] = []
      for (let item = heap.first; item !== undefined; item = heap.first) {
        heap.remove(item)
        out.push(item)
      }
      const kept = items.filter((_, index) => rows[index]?.removed === false)
      kept.sort((left, right) => left.dueAt - right.dueAt || left.order - right.order)
      expect(out).toEqual(kept)
      expect(items.every((item) => item.place === -1)).toBe(true)
    })
    fc.assert(property, { numRuns: 300 })
  })
})
