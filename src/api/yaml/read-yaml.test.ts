import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isFault } from "../../base/faults.ts"
import { jsonText } from "../../base/json-text.ts"
import { readYaml } from "./read-yaml.ts"
import { resolvePlain } from "./resolve-plain.ts"

describe("readYaml", () => {
  it("takes plain words as YAML 1.1 and Kubernetes do", () => {
    const cases: [string, unknown][] = [
      ["y", true],
      ["Yes", true],
      ["ON", true],
      ["n", false],
      ["off", false],
      ["yEs", "yEs"],
      ["", null],
      ["~", null],
      ["Null", null],
      ["0777", 511],
      ["0o17", 15],
      ["0x1F", 31],
      ["-0b101", -5],
      ["08", 8],
      ["1_000", 1000],
      ["9007199254740993", 9007199254740993n],
      ["-9223372036854775808", -9223372036854775808n],
      ["18446744073709551615", 18446744073709551615n],
      ["1.0", 1],
      ["-1.5e3", -1500],
      [".5", 0.5],
      ["1e999", "1e999"],
      ["2001-12-14", "2001-12-14"],
      ["12:30:45", "12:30:45"],
      ["1.2.3", "1.2.3"],
      ["inf", "inf"],
    ]
    for (const [text, value] of cases) expect(resolvePlain(text), text).toBe(value)
    expect(resolvePlain(".inf")).toBeUndefined()
    expect(readYaml("a: 'yes'\nb: \"1\"\nc: |\n  no\n").value).toEqual({
      a: "yes",
      b: "1",
      c: "no\n",
    })
  })

  it("makes text of keys that are something else", () => {
    expect(readYaml("1: a\nyes: b\n1.5: c\n").value).toEqual({ 1: "a", true: "b", 1.5: "c" })
    for (const text of ["~: 1\n", "[a]: 1\n"]) {
      expect(() => readYaml(text)).toThrow(/a key that is no text/)
    }
  })

  it("names a duplicate key by its path and takes the last value", () => {
    expect(readYaml("a:\n- b: 1\n  b: 2\n  b: 3\n")).toEqual({
      value: { a: [{ b: 3 }] },
      duplicates: ["a[0].b"],
    })
    expect(readYaml('{"a": {"b": 1, "b": 2}}')).toEqual({
      value: { a: { b: 2 } },
      duplicates: ["a.b"],
    })
  })

  it("reads one document, whatever lines begin and end it", () => {
    for (const text of ["a: 1\n", "---\na: 1\n", "---\na: 1\n...\n", "a: 1\n---\n"]) {
      expect(readYaml(text).value, text).toEqual({ a: 1 })
    }
    expect(() => readYaml("a: 1\n---\nb: 2\n")).toThrow(/a second document at line 3/)
    expect(readYaml("# nothing\n").value).toBeNull()
  })

  it("reads what any JSON writer writes, integers of 64 bits included", () => {
    const wide = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n })
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), wide, (value, one) => {
        fc.pre(!/"(__proto__|constructor|prototype)"/.test(JSON.stringify(value)))
        const text = `{"value":${jsonText(value)},"one":${one}}`
        expect(jsonText(readYaml(text).value)).toBe(text)
      }),
      { numRuns: 200 },
    )
  })

  it("refuses aliases, tags, merge keys, forbidden keys, and numbers that can't be kept", () => {
    const refused: [string, RegExp][] = [
      ["a: &x 1\nb: *x\n", /an anchor, which is not accepted, at line 1, column 4$/],
      ["a: !!binary aGk=\n", /a tag, which is not accepted,/],
      ["a: 1\nb:\n  c: >pa55\n", /does not allow here \(.*\) at line 3, column \d+$/],
      ["<<: {a: 1}\n", /a merge key/],
      ["a:\n  __proto__: 1\n", /the key "__proto__" is forbidden at line 2/],
      ["a: .nan\n", /can't be kept/],
      ["a: 18446744073709551617\n", /can't be kept/],
      ["a: [1, 2\n", /cannot read the YAML/],
      ["a: 1\n b: 2\n", /cannot read the YAML/],
    ]
    for (const [text, why] of refused) expect(() => readYaml(text), text).toThrow(why)
    expect(() => readYaml("a: >pa55\n")).not.toThrow(/pa55/)
  })

  it("is done with hostile text before it costs anything", () => {
    const hostile = [
      "[".repeat(100_000),
      "- ".repeat(100_000),
      "a: ".repeat(1000),
      `${"a: [".repeat(200)}1`,
      "[1,".repeat(50_000),
      `a: "${"x".repeat(4 * 1024 * 1024)}"`,
      Array.from({ length: 300_000 }, () => "- 1\n").join(""),
    ]
    for (const text of hostile) {
      try {
        readYaml(text)
        expect.unreachable()
      } catch (error) {
        if (!isFault(error)) throw error
        expect([400, 413]).toContain(error.status)
      }
    }
  })
})
