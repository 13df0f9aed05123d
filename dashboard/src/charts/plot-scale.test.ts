import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  high,
  linePath,
  nearest,
  timeRange,
  timeTicks,
  valueRange,
  valueTicks,
  wide,
} from "./plot-scale.ts"

describe("the ranges of a chart", () => {
  it("begin empty while there are few samples, and at nothing", () => {
    expect(timeRange([1000, 1005])).toEqual({ low: 825, high: 1005 })
    expect(timeRange([1000, 1900])).toEqual({ low: 1000, high: 1900 })
    expect(valueRange([[null, 0], []])).toEqual({ low: 0, high: 1 })
    expect(valueRange([[10, null], [20]]).high).toBeCloseTo(22)
  })

  it("have a few round ticks within them", () => {
    const values = (top: number) => valueTicks({ low: 0, high: top }).map(({ value }) => value)
    expect(values(1)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1])
    expect(values(13.2)).toEqual([0, 5, 10])
    expect(values(154)).toEqual([0, 50, 100, 150])
    const times = timeTicks({ low: 1_000_005, high: 1_000_185 }).map(({ value }) => value % 30)
    expect(times).toEqual([0, 0, 0, 0, 0, 0])
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 1e9, noNaN: true }), (top) => {
        const ticks = valueTicks({ low: 0, high: top })
        expect(ticks.length).toBeGreaterThan(1)
        expect(ticks.length).toBeLessThanOrEqual(6)
        for (const { at } of ticks) expect(at >= 0 && at <= 1.000001).toBe(true)
      }),
    )
  })
})

describe("a line", () => {
  const scale = { x: { low: 0, high: 10 }, y: { low: 0, high: 4 } }

  it("goes from sample to sample, in slopes or steps, with gaps and dots", () => {
    const times = [0, 5, 10]
    expect(linePath(times, [0, 2, 4], scale)).toBe("M0 100h0L500 50L1000 0")
    expect(linePath(times, [0, 2, 4], scale, true)).toBe("M0 100h0H500V50H1000V0")
    expect(linePath(times, [1, null, 4], scale)).toBe("M0 75h0M1000 0h0")
    expect(linePath(times, [null, null, null], scale)).toBe("")
  })

  it("stays within the drawing whatever the numbers are", () => {
    const samples = fc.array(fc.tuple(fc.nat(900), fc.option(fc.nat(1e6))), { minLength: 1 })
    fc.assert(
      fc.property(samples, fc.boolean(), (all, steps) => {
        const sorted = all.toSorted(([one], [other]) => one - other)
        const times = sorted.map(([time]) => time)
        const values = sorted.map(([, value]) => value)
        const own = { x: timeRange(times), y: valueRange([values]) }
        const path = linePath(times, values, own, steps)
        for (const [, left, top] of path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)) {
          expect(Number(left) >= 0 && Number(left) <= wide).toBe(true)
          expect(Number(top) >= 0 && Number(top) <= high).toBe(true)
        }
      }),
    )
  })

  it("is read at the sample that is nearest to where one points", () => {
    expect(nearest([10, 20, 30], 24)).toBe(1)
    expect(nearest([10, 20, 30], 99)).toBe(2)
    expect(nearest([], 5)).toBeUndefined()
  })
})
