// The canonical text decides digests and the journal's chain: it must never depend on how a value
// was built, and must be the text that plain JSON has.

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { canonicalDocument, canonicalJson, type Json, toPlainJson } from "./json.ts"

const anyJson = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>

describe("the canonical text of a value", () => {
  it("is JSON of the same value", () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it("writes every text as plain JSON does, also one that has to be escaped", () => {
    const signs = fc.constantFrom('"', "\\", "\n", "\u007f", "\u2028", "\ud800", "é", " ", "a", "~")
    const texts = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: signs }))
    fc.assert(
      fc.property(texts, (text) => {
        expect(canonicalJson(text)).toBe(JSON.stringify(text))
        expect(canonicalJson({ [text]: 1 })).toBe(`{${JSON.stringify(text)}:1}`)
      }),
    )
  })

  it("sorts members by their text, also those that look like numbers", () => {
    expect(canonicalJson({ b: 1, a: { d: [], c: null }, "10": true, "9": -0 })).toBe(
      '{"10":true,"9":0,"a":{"c":null,"d":[]},"b":1}',
    )
  })

  it("is the same before and after a trip over the wire", () => {
    const some = fc.constantFrom(undefined, Number.NaN, Number.POSITIVE_INFINITY, -0)
    const members = fc.oneof(anyJson, some, fc.array(some))
    fc.assert(
      fc.property(fc.dictionary(fc.string(), members), (document) => {
        expect(canonicalDocument(document)).toBe(canonicalJson(toPlainJson(document)))
      }),
    )
  })
})
