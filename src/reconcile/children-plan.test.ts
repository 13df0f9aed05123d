import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type LivingChild, planChildren } from "./children-plan.ts"

const child = (key: string, fungible = true, kind = "Process"): LivingChild => ({
  ...{ key, kind, fungible },
  object: { apiVersion: "a/v1", kind, metadata: { name: key } },
})
const children = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => child(`${prefix}${index}`))
const sizes = (living: LivingChild[], wanted: LivingChild[]) => {
  const { replaced, removed } = planChildren(living, wanted)
  return [replaced.length, removed.length]
}

describe("children that are not wanted any more", () => {
  const [old, fresh] = [children("old", 5), children("new", 5)]

  it("are replaced where others stand in for them", () => {
    expect(sizes([...old, ...fresh], fresh)).toEqual([5, 0])
    expect(sizes([...old, ...fresh.slice(0, 1)], [...old.slice(1), ...fresh.slice(0, 1)])).toEqual([
      1, 0,
    ])
    expect(sizes(old, old.slice(0, 3))).toEqual([2, 0])
  })

  it("are deleted where most of them go, the last one goes, or others are not there yet", () => {
    expect(sizes(old, old.slice(0, 2))).toEqual([0, 3])
    expect(sizes(old, [])).toEqual([0, 5])
    expect(sizes(old, fresh)).toEqual([0, 5])
    expect(sizes([child("a", false), child("b", false)], [child("b", false)])).toEqual([0, 1])
  })

  it("are all named once, and never any that is wanted", () => {
    const names = fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { maxLength: 12 })
    fc.assert(
      fc.property(names, names, fc.boolean(), (there, asked, fungible) => {
        const living = there.map((name) => child(`c${name}`, fungible))
        const wanted = asked.map((name) => child(`c${name}`, fungible))
        const { replaced, removed } = planChildren(living, wanted)
        const gone = [...replaced, ...removed].map(({ key }) => key)
        const kept = living.filter(({ key }) => !gone.includes(key)).map(({ key }) => key)
        expect(new Set(gone).size).toBe(gone.length)
        expect(wanted.filter(({ key }) => gone.includes(key))).toEqual([])
        expect(kept.every((key) => wanted.some((one) => one.key === key))).toBe(true)
        // Whatever counts as a change leaves as many as are wanted, and half of what there was.
        if (replaced.length > 0) {
          expect(kept.length).toBe(wanted.length)
          expect(kept.length * 2).toBeGreaterThanOrEqual(living.length)
          expect(kept.length).toBeGreaterThan(0)
        }
      }),
      { numRuns: 500 },
    )
  })
})
