import { describe, expect, it } from "vitest"
import { canonicalJson, equalJson, type Json, type JsonObject } from "../base/json.ts"
import { parseJson } from "../base/json-text.ts"
import { compileSchema } from "./compile-schema.ts"
import { diffThreeWay } from "./three-way.ts"

const wide = 9007199254740993n
const id = (schema: JsonObject) =>
  compileSchema({ type: "object", properties: { id: schema } }, "value")
const said = (schema: JsonObject, value: Json) =>
  id(schema)
    .validate({ id: value })
    .map(({ message }) => message)

describe("an integer beyond 2^53", () => {
  it("is an integer and a number to a schema, and no text", () => {
    expect(said({ type: "integer" }, wide)).toEqual([])
    expect(said({ type: "number" }, wide)).toEqual([])
    expect(said({ "x-kubernetes-int-or-string": true }, wide)).toEqual([])
    expect(said({ type: "string" }, wide)).toEqual(["must be of type string, not integer"])
  })

  it("keeps within the bounds of its format and its keywords, to the last digit", () => {
    const int64 = { type: "integer", format: "int64" }
    expect(said(int64, 2n ** 63n - 1n)).toEqual([])
    expect(said(int64, 2n ** 63n)).toEqual(["must be in format int64"])
    expect(said({ type: "integer", format: "int32" }, wide)).toEqual(["must be in format int32"])
    expect(said({ type: "integer", maximum: wide }, wide)).toEqual([])
    expect(said({ type: "integer", maximum: wide }, wide + 1n)).toHaveLength(1)
    expect(said({ type: "integer", maximum: wide, exclusiveMaximum: true }, wide)).toHaveLength(1)
    expect(said({ type: "integer", minimum: wide }, wide - 2n)).toHaveLength(1)
    expect(said({ type: "integer", maximum: 100 }, wide)).toEqual(["must be at most 100"])
    expect(said({ type: "integer", multipleOf: 3 }, 9007199254740993n * 3n)).toEqual([])
    expect(said({ type: "integer", multipleOf: 3 }, 9007199254740993n * 3n + 1n)).toHaveLength(1)
    expect(said({ type: "integer", enum: [wide] }, wide)).toEqual([])
    expect(said({ type: "integer", enum: [wide] }, wide + 1n)).toEqual([
      "must be one of 9007199254740993",
    ])
  })

  it("differs from its neighbour and equals only itself", () => {
    const { node } = id({ type: "integer" })
    const diff = (applied: Json, desired: Json, observed: Json) =>
      diffThreeWay(node, {
        applied: { id: applied },
        desired: { id: desired },
        observed: { id: observed },
      }).map(({ path, why }) => `${why} ${path}`)
    expect(diff(wide, wide, wide)).toEqual([])
    expect(diff(wide, wide, wide - 1n)).toEqual(["drift id"])
    expect(diff(wide, wide + 1n, wide)).toEqual(["requested id"])
    expect(equalJson({ a: [wide] }, { a: [9007199254740993n] })).toBe(true)
    expect(equalJson(wide, Number(wide))).toBe(false)
    expect(equalJson(wide, String(wide))).toBe(false)
  })

  it("has one text and one hash, however it was written", () => {
    expect(canonicalJson({ b: 1, a: wide })).toBe('{"a":9007199254740993,"b":1}')
    // The text of a large number with a fraction or an exponent reads as an integer again.
    const [number, read] = [1e18, parseJson("1000000000000000000")]
    expect(read).toBe(10n ** 18n)
    expect(equalJson(number, read)).toBe(true)
    expect(canonicalJson(number)).toBe(canonicalJson(read))
  })
})
