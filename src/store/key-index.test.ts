import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { IndexBuilder } from "./index-builder.ts"
import { KeyIndex } from "./key-index.ts"

interface Row {
  readonly key: string
  readonly place: number
  readonly createRevision: number
  readonly version: number
}

/** The obvious way: all rows in a list. */
class Model {
  rows: Row[] = []

  range(prefix: string, after: string | undefined, asOf: number, limit: number): number[] {
    const keys = [...new Set(this.rows.map((row) => row.key))].sort()
    const found: number[] = []
    for (const key of keys) {
      if (!key.startsWith(prefix) || (after !== undefined && key <= after)) continue
      const row = this.find(key, asOf)
      if (row !== undefined && row.version > 0) found.push(row.place)
    }
    return found.slice(0, limit)
  }

  find(key: string, asOf: number): Row | undefined {
    return this.rows.findLast((row) => row.key === key && row.place <= asOf)
  }

  superseded(asOf: number): string[] {
    const gone = this.rows.filter((row) => {
      const base = this.find(row.key, asOf)
      if (base === undefined || row.place > asOf) return false
      return row.place < base.place || base.version === 0
    })
    return gone.map((row) => `${row.key}@${row.place}`).sort()
  }
}

const keyArbitrary = fc.oneof(
  fc.constantFrom("a", "a/b", "a/b/c", "b", "a/", "zz"),
  fc.string({ unit: fc.constantFrom("a", "b", "/"), minLength: 1, maxLength: 6 }),
)
const rowsArbitrary = fc
  .array(fc.record({ key: keyArbitrary, version: fc.nat(2) }), { maxLength: 60 })
  .map((rows) => rows.map((row, index) => ({ ...row, place: index + 1, createRevision: 1 })))

/** Few keys, many rows, so that chunks split and keys go over their ends. */
function manyRows(count: number, keys: number): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const key = `key/${String((index * 7919) % keys).padStart(5, "0")}`
    return { key, place: index + 1, createRevision: 1, version: index % 11 === 0 ? 0 : 1 }
  })
}

function both(rows: readonly Row[]): { index: KeyIndex; built: KeyIndex; model: Model } {
  const index = new KeyIndex()
  const builder = new IndexBuilder()
  const model = new Model()
  for (const row of rows) {
    index.insert(row)
    builder.add({ ...row, previousRevision: 0, lease: undefined })
    model.rows.push(row)
  }
  const built = new KeyIndex()
  built.fill(builder)
  return { index, built, model }
}

describe("the key index", () => {
  it("finds and ranges as a plain list would, inserted or built at once", () => {
    const queries = fc.record({
      prefix: fc.constantFrom("", "a", "a/", "b", "none"),
      after: fc.option(keyArbitrary, { nil: undefined }),
      asOf: fc.nat(70),
      limit: fc.integer({ min: 1, max: 20 }),
    })
    fc.assert(
      fc.property(rowsArbitrary, queries, (rows, { prefix, after, asOf, limit }) => {
        const { index, built, model } = both(rows)
        const expected = model.range(prefix, after, asOf, limit)
        expect(index.range(prefix, after, asOf, limit)).toEqual(expected)
        expect(built.range(prefix, after, asOf, limit)).toEqual(expected)
        for (const { key } of rows) {
          expect(index.find(key, asOf)?.place).toBe(model.find(key, asOf)?.place)
          expect(built.find(key, asOf)?.place).toBe(model.find(key, asOf)?.place)
        }
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    [2000, 2000],
    [5000, 3],
    [6000, 700],
  ])("stays right over many chunks: %i rows of %i keys", (count, keys) => {
    const { index, built, model } = both(manyRows(count, keys))
    for (const asOf of [0, 1, count / 2, count]) {
      for (const some of [index, built]) {
        const all = some.range("key/", undefined, asOf, Number.POSITIVE_INFINITY)
        expect(all).toEqual(model.range("key/", undefined, asOf, Number.POSITIVE_INFINITY))
      }
    }
    expect(index.size).toBe(count)
    expect(built.size).toBe(count)
  })

  it("drops exactly the rows that no later read can see, in steps", () => {
    for (const [count, keys] of [
      [3000, 40],
      [3000, 2000],
      [2000, 2],
    ] as const) {
      const { index, built, model } = both(manyRows(count, keys))
      const asOf = (count * 2) / 3
      const expected = model.superseded(asOf)
      for (const some of [index, built]) {
        const before = some.range("", undefined, asOf, Number.POSITIVE_INFINITY)
        const found: string[] = []
        for (let after: string | undefined = ""; after !== undefined; ) {
          const step = some.superseded(after, asOf, 100, 50)
          for (const row of step.found) {
            found.push(`${row.key}@${row.place}`)
            expect(some.remove(row.key, row.place)).toBe(true)
          }
          after = step.next
        }
        expect(found.sort()).toEqual(expected)
        expect(some.size).toBe(count - expected.length)
        expect(some.range("", undefined, asOf, Number.POSITIVE_INFINITY)).toEqual(before)
      }
    }
  })
})
