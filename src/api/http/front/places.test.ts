import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { NumberedPlaces, numberAfter, Places } from "./places.ts"

describe("places", () => {
  it("never give what has a place now to whoever asks for what had it before", () => {
    const places = new NumberedPlaces<{ name: string }>()
    const first = places.add({ name: "first" })
    expect(places.delete(first)).toBe(true)
    const second = places.add({ name: "second" })
    expect(places.get(first)).toBeUndefined()
    expect(places.delete(first)).toBe(false)
    expect(places.get(second)).toEqual({ name: "second" })
  })

  it("are used again, so that they are no more than what is there at once", () => {
    const places = new NumberedPlaces<object>()
    let number = places.add({})
    for (let i = 0; i < 1000; i++) {
      places.delete(number)
      const next = places.add({})
      expect(next).toBe(numberAfter(number))
      number = next
    }
    expect(places.add({})).toBe(1)
  })

  it("have exact numbers for ever", () => {
    const last = Number.MAX_SAFE_INTEGER - 2 ** 24 + 8
    expect(numberAfter(last)).toBe(7)
    expect(numberAfter(7)).toBe(2 ** 24 + 7)
  })

  it("hold on both sides what a map would", () => {
    const act = fc.record({ adds: fc.boolean(), pick: fc.nat() })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
        const ours = new NumberedPlaces<{ at: number }>()
        const theirs = new Places<{ at: number }>()
        const model = new Map<number, { at: number }>()
        const given: number[] = []
        for (const [at, { adds, pick }] of acts.entries()) {
          const number = adds ? ours.add({ at }) : given[pick % Math.max(1, given.length)]
          if (adds && number !== undefined) {
            expect(given).not.toContain(number)
            given.push(number)
            theirs.set(number, { at })
            model.set(number, { at })
          } else if (number !== undefined) {
            const wasThere = model.delete(number)
            expect(ours.delete(number)).toBe(wasThere)
            expect(theirs.delete(number)).toBe(wasThere)
          }
        }
        for (const number of given) {
          expect(ours.get(number)).toEqual(model.get(number))
          expect(theirs.get(number)).toEqual(model.get(number))
        }
        expect(new Set(theirs.numbers())).toEqual(new Set(model.keys()))
      }),
    )
  })
})
