import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fieldTerm, parseFieldSelector } from "./field-selector.ts"

describe("a field selector", () => {
  it("is its terms, each a field and the value that it has or has not", () => {
    expect(parseFieldSelector("metadata.name=a,spec.x==b,status.phase!=")).toEqual([
      { field: "metadata.name", is: true, value: "a" },
      { field: "spec.x", is: true, value: "b" },
      { field: "status.phase", is: false, value: "" },
    ])
  })

  it("may have empty terms beside others, but not none", () => {
    const terms = [{ field: "x", is: true, value: "a" }]
    for (const text of ["x=a,", ",x=a", "x=a,,"]) expect(parseFieldSelector(text)).toEqual(terms)
    for (const text of ["", ",", " "]) expect(parseFieldSelector(text)).toBeUndefined()
  })

  it("may ask for commas, equals signs and backslashes", () => {
    const values = ["a\\,b", "a\\=b", "a\\\\b", " a"]
    const terms = values.map((value) => parseFieldSelector(`x=${value}`)?.[0]?.value)
    expect(terms).toEqual(["a,b", "a=b", "a\\b", " a"])
  })

  it("is not understood where Kubernetes does not understand it either", () => {
    for (const text of ["x=a,b", "x=a=b", "x=a\\x", "x=a\\", "x", "=a", "!=a", "x==a=", "x!==a"]) {
      expect([text, parseFieldSelector(text)]).toEqual([text, undefined])
    }
  })

  it("finds any value that was written for it", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 4 }), (values) => {
        const text = values.map((value) => fieldTerm("spec.x", value)).join(",")
        expect(parseFieldSelector(text)).toEqual(
          values.map((value) => ({ field: "spec.x", is: true, value })),
        )
      }),
    )
  })
})
