import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { SampleRing } from "./sample-ring.ts"

describe("SampleRing", () => {
  it("keeps the newest samples, oldest first, and gives what came since", () => {
    const property = fc.property(fc.nat(30), fc.integer({ min: 1, max: 8 }), (count, size) => {
      const ring = new SampleRing(["a", "b"], size)
      for (let at = 1; at <= count; at++) ring.add(at, { a: at * 10, b: Number.NaN })
      const all = Array.from({ length: count }, (_, index) => index + 1)
      const kept = all.slice(-size)
      const { times, columns } = ring.since(0)
      expect(times).toEqual(kept)
      expect(columns).toEqual({ a: kept.map((at) => at * 10), b: kept.map(() => null) })
      expect(ring.since(count - 2).times).toEqual(kept.filter((at) => at > count - 2))
    })
    fc.assert(property, { numRuns: 100 })
  })

  it("shows short numbers, and only the columns that were asked for", () => {
    const ring = new SampleRing(["a", "b"], 3)
    ring.add(1, { a: 0.1, b: 2 })
    expect(ring.since(0, new Set(["a"])).columns).toEqual({ a: [0.1] })
  })
})
