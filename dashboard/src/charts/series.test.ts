import { describe, expect, it } from "vitest"
import { highestOf, joinSamples, lastOf, valueText } from "./series.ts"

describe("samples of several loops as one", () => {
  it("adds counts, takes the highest of times, and keeps gaps", () => {
    const joined = joinSamples([
      { times: [1, 2], columns: { creates: [1, 2], convergeSeconds: [0.5, null] } },
      { times: [2, 3], columns: { creates: [10, 20], convergeSeconds: [null, 2] } },
      { times: [1], columns: { convergeSeconds: [3] } },
    ])
    expect(joined.times).toEqual([1, 2, 3])
    expect(joined.columns).toEqual({ creates: [1, 12, 20], convergeSeconds: [3, null, 2] })
  })

  it("is nothing when there are none", () => {
    expect(joinSamples([])).toEqual({ times: [], columns: {} })
  })
})

describe("a value in words", () => {
  it("is short, with its unit", () => {
    const texts = [3, 0.1234, 12.34, 12_345, 123_456].map((one) => valueText(one))
    expect(texts).toEqual(["3", "0.12", "12.3", "12.3k", "123k"])
    expect(valueText(1.5, "s")).toBe("1.50 s")
    expect(valueText(null, "s")).toBe("-")
  })

  it("is the last or the highest that there is", () => {
    expect(lastOf([1, 5, null])).toBe(5)
    expect(highestOf([null, 5, 1])).toBe(5)
    expect(lastOf([null])).toBeNull()
  })
})
