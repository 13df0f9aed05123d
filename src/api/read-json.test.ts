import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { canonicalJson, type Json } from "../base/json.ts"
import { jsonText, parseJson } from "../base/json-text.ts"
import { readJson, readJsonDocument } from "./read-json.ts"

describe("readJson", () => {
  it("reads every JSON value as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, space) => {
        const text = JSON.stringify(value, undefined, space)
        fc.pre(!/"(__proto__|constructor|prototype)"/.test(text)) // Refused, as said below.
        expect(readJson(text)).toEqual(parseJson(text))
        expect(canonicalJson(readJson(text))).toBe(canonicalJson(JSON.parse(text)))
      }),
      { numRuns: 300, examples: [['\u2028\ud83d\ude00\\"/\b\f\n\r\t', 0]] },
    )
  })

  it("refuses what JSON.parse refuses", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.nat(), fc.string(), (value, at, noise) => {
        const text = JSON.stringify(value)
        const broken = text.slice(0, at % (text.length + 1)) + noise + text.slice(at % text.length)
        let expected: Json | undefined
        try {
          expected = parseJson(broken)
        } catch {
          expect(() => readJson(broken)).toThrow()
          return
        }
        // Stricter than JSON.parse is fine; different is not.
        try {
          expect(readJson(broken)).toEqual(expected)
        } catch (error) {
          expect(error).toMatchObject({ status: 400 })
        }
      }),
      { numRuns: 500 },
    )
  })

  it("refuses 100,000-deep nesting without exhausting the stack", () => {
    for (const text of ["[".repeat(100_000), '{"a":'.repeat(100_000)]) {
      expect(() => readJson(text)).toThrow(/nesting deeper than 64/)
    }
    expect(readJson("[".repeat(64) + "]".repeat(64))).toBeDefined()
  })

  it("names a duplicate key", () => {
    expect(() => readJson('{"a": {"b": 1, "b": 2}}')).toThrow(/duplicate field "a.b"/)
    expect(() => readJson('{"a": 1, "\\u0061": 2}')).toThrow(/duplicate field "a"/)
  })

  it("refuses keys that reach a prototype, however they are written", () => {
    for (const key of ["__proto__", "constructor", "prototype", "\\u005f_proto__"]) {
      expect(() => readJson(`{"${key}": {"x": 1}}`)).toThrow(/forbidden/)
    }
  })

  it("names duplicate keys by path and takes the last value, when asked to", () => {
    const text = '{"spec": {"a": 1, "ports": [{}, {"n": 1, "n": 2, "n": 3}], "a": 2}}'
    expect(readJsonDocument(text)).toEqual({
      value: { spec: { a: 2, ports: [{}, { n: 3 }] } },
      duplicates: ["spec.ports[1].n", "spec.a"],
    })
    const many = `{${Array.from({ length: 300 }, (_, at) => `"k${at}":1,"k${at}":2`).join()}}`
    expect(readJsonDocument(many).duplicates).toHaveLength(100)
    expect(() => readJsonDocument('{"__proto__": 1, "__proto__": 2}')).toThrow(/forbidden/)
  })

  it("keeps every integer of 64 bits, to the last digit", () => {
    const wide = fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
      fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }),
    )
    const member = fc.oneof(wide, fc.integer(), fc.string(), fc.boolean())
    fc.assert(
      fc.property(fc.array(member, { maxLength: 8 }), wide, (list, one) => {
        const parts = list.map((item) =>
          typeof item === "bigint" ? String(item) : JSON.stringify(item),
        )
        const text = `{"list":[${parts.join()}],"one":${one}}`
        expect(jsonText(readJson(text))).toBe(text)
        expect(jsonText(parseJson(text))).toBe(text)
        expect(parseJson(text)).toEqual(readJson(text))
        expect(canonicalJson(readJson(text))).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  it("refuses integers that would lose digits, and text without end", () => {
    expect(() => readJson("18446744073709551617")).toThrow(/loses digits/)
    expect(readJson("18446744073709551615")).toBe(18446744073709551615n)
    expect(readJson("9007199254740993")).toBe(9007199254740993n)
    expect(readJson("9007199254740991")).toBe(9007199254740991)
    expect(() => readJson("1e999")).toThrow(/too large/)
    for (const text of ["", " ", '"abc', "[1,]", "{,}", "01", "[1 2]", "nul", '"\u0001"', "1 1"]) {
      expect(() => readJson(text)).toThrow(/cannot read the JSON/)
    }
  })

  it("reads text without white space as it reads any other", () => {
    const both = (text: string) => {
      const wordy = text.replaceAll(",", " ,")
      expect(readJsonDocument(text), text).toEqual(readJsonDocument(wordy))
    }
    for (const text of [
      ...['{"a":1,"b":[1,2]}', '{"a":9007199254740992,"b":1}', '{"a":-0,"b":1}'],
      ...[
        '{"a":1.0,"b":1}',
        '{"a":1e2,"b":1}',
        '{"10":1,"2":1}',
        '{"a":1,"a":1}',
        '{"a":1,"b":1}\n',
      ],
      ...['{"a":"\\u0061","b":1}', '{"a":"é","b":"\ud83d\ude00"}', '["a",null,true,{}]'],
    ]) {
      both(text)
    }
    expect(readJson("[1,-0]")).toEqual([1, -0])
    expect(readJson("18014398509481984")).toBe(18014398509481984n)
    for (const key of ["__proto__", "constructor", "prototype", "\\u005f_proto__"]) {
      expect(() => readJson(`{"a":1,"${key}":{"x":1}}`)).toThrow(/forbidden/)
    }
    const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
    expect(readJson(deep(64))).toBeDefined()
    expect(() => readJson(deep(65))).toThrow(/nesting deeper than 64/)
    expect(() => readJson("[".repeat(100_000) + "]".repeat(100_000))).toThrow(/nesting deeper/)
  })

  it("refuses more text than its limit", () => {
    expect(() => readJson(`"${"x".repeat(100)}"`, { depth: 4, characters: 50 })).toThrow(/50/)
  })
})
