import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Delayed, DelayHeap } from "./delay-heap.ts"

const byTime = (left: Delayed, right: Delayed) =>
  left.dueAt - right.dueAt || left.order - right.order

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("push" as const), at: fc.nat(200) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), at: fc.nat(200) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("earlier" as const), at: fc.nat(200) }) },
)

describe("DelayHeap", () => {
  it("gives items back in order of time, then of arrival, whatever was moved or removed", () => {
    const property = fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const heap = new DelayHeap<Delayed>()
      let model: Delayed[] = []
      steps.forEach(({ kind, at }, order) => {
        const chosen = model[at % Math.max(1, model.length)]
        if (kind === "push") {
          const item = { dueAt: at, order, place: -1 }
          heap.push(item)
          model.push(item)
        } else if (chosen !== undefined && kind === "remove") {
          heap.remove(chosen)
          model = model.filter((item) => item !== chosen)
          expect(chosen.place).toBe(-1)
        } else if (chosen !== undefined) {
          chosen.dueAt -= at
          heap.moveEarlier(chosen)
        }
      })
      const out: Delayed[] = []
      for (let item = heap.first; item !== undefined; item = heap.first) {
        heap.remove(item)
        out.push(item)
      }
      expect(out).toEqual(model.sort(byTime))
    })
    fc.assert(property, { numRuns: 1000 })
  })

  it("lifts the item that fills a gap below a later parent", () => {
    const heap = new DelayHeap<Delayed>()
    const items = [1, 10, 2, 11, 12, 3, 4].map((dueAt, order) => ({ dueAt, order, place: -1 }))
    for (const item of items) heap.push(item)
    const gap = items.find((item) => item.dueAt === 11)
    const filler = items.find((item) => item.dueAt === 4)
    if (gap !== undefined) heap.remove(gap)
    expect(filler?.place).toBe(1)
  })
})
