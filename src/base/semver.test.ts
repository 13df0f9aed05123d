import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compareVersions, parseRange, parseVersion } from "./semver.ts"

const order = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta", "1.0.0-rc.2", "1.0.0-rc.11", "1.0.0"]

function isIn(range: string, version: string): boolean | undefined {
  const parsed = parseVersion(version)
  return parsed && parseRange(range)?.(parsed)
}

describe("versions", () => {
  it("are ordered as semver.org says", () => {
    const sorted = [...order].reverse().sort((left, right) => {
      const [a, b] = [parseVersion(left), parseVersion(right)]
      return a && b ? compareVersions(a, b) : 0
    })
    expect(sorted).toEqual(order)
  })

  it.each(["1", "1.2", "01.2.3", "1.2.3-", "1.2.3-a..b", "latest", "1.2.3 ", "-1.2.3"])(
    "are not made of %s",
    (text) => expect(parseVersion(text)).toBeUndefined(),
  )
})

describe("ranges", () => {
  it.each([
    ["1.x", ["1.0.0", "1.99.3", "v1.2.3"], ["2.0.0", "0.9.9", "1.2.0-rc.1"]],
    ["1.2.x", ["1.2.0", "1.2.9"], ["1.3.0"]],
    ["^1.2", ["1.2.0", "1.9.0"], ["1.1.9", "2.0.0"]],
    ["^1.2.3", ["1.2.3", "1.9.0"], ["1.2.2", "2.0.0"]],
    ["^0.2.3", ["0.2.3", "0.2.9"], ["0.3.0"]],
    ["^0.0.3", ["0.0.3"], ["0.0.4"]],
    ["~1.2.3", ["1.2.3", "1.2.9"], ["1.3.0"]],
    ["~1.2", ["1.2.0", "1.2.9"], ["1.3.0"]],
    [">=1.2.0 <2.0.0", ["1.2.0", "1.9.9"], ["2.0.0", "1.1.0"]],
    ["> 1.2.0 <= 1.4.0", ["1.2.1", "1.4.0"], ["1.2.0", "1.4.1"]],
    ["1.2.3 || 3.x", ["1.2.3", "3.1.0"], ["1.2.4", "2.0.0"]],
    ["*", ["0.0.1", "9.9.9"], ["1.0.0-rc.1"]],
    [">=1.0.0-rc.1 <1.0.1", ["1.0.0-rc.1", "1.0.0-rc.2", "1.0.0"], ["1.0.0-beta"]],
  ])("%s", (range, inside, outside) => {
    for (const version of inside) expect([version, isIn(range, version)]).toEqual([version, true])
    for (const version of outside) expect([version, isIn(range, version)]).toEqual([version, false])
  })

  it.each(["newest", ">=", "1.2.3.4", "^^1", "1 - 2", "--x", "||"])("are not made of %s", (text) =>
    expect(parseRange(text)).toBeUndefined(),
  )

  it("never hold a version below a caret's own", () => {
    const part = fc.nat({ max: 20 })
    fc.assert(
      fc.property(part, part, part, part, part, part, (a, b, c, d, e, f) => {
        const [low, other] = [parseVersion(`${a}.${b}.${c}`), parseVersion(`${d}.${e}.${f}`)]
        if (low === undefined || other === undefined) return
        const held = parseRange(`^${a}.${b}.${c}`)?.(other) === true
        if (held) expect(compareVersions(other, low)).toBeGreaterThanOrEqual(0)
        if (held) expect(d).toBe(a)
      }),
      { numRuns: 200 },
    )
  })
})
