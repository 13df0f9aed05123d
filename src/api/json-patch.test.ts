import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Json } from "../base/json.ts"
import { applyJsonPatch, applyMergePatch } from "./json-patch.ts"

const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>
const plainKey = fc.string({ maxLength: 4 }).filter((key) => key !== "__proto__")
const plainObject = fc.dictionary(plainKey, fc.integer())

describe("merge patch", () => {
  it("turns one object into another with a patch that nulls what is gone", () => {
    fc.assert(
      fc.property(plainObject, plainObject, (before, after) => {
        const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
        const patch = { ...after, ...Object.fromEntries(gone.map((key) => [key, null])) }
        expect(applyMergePatch(before, patch)).toEqual(after)
      }),
    )
  })

  it("merges deeply, replaces lists whole and never changes its input", () => {
    const target = { a: { b: 1, c: [1, 2] }, d: 1 }
    const copy = structuredClone(target)
    const result = applyMergePatch(target, { a: { c: [3], e: { f: null, g: 1 } }, d: null })
    expect(result).toEqual({ a: { b: 1, c: [3], e: { g: 1 } } })
    expect(target).toEqual(copy)
  })

  it("drops nulls from what is new, also inside lists", () => {
    const patch = { l: [{ a: null, b: 1 }, null], n: { m: [{ z: null }] } }
    const expected = { l: [{ b: 1 }, null], n: { m: [{}] } }
    expect(applyMergePatch({ l: [{ a: 1 }] }, patch)).toEqual(expected)
  })
})

describe("JSON patch", () => {
  it("adds and removes anywhere, and the input stays as it was", () => {
    fc.assert(
      fc.property(value, value, (member, added) => {
        const target = { list: [member], map: { m: member } }
        const copy = structuredClone(target)
        const there = applyJsonPatch(target, [
          { op: "add", path: "/list/0", value: added },
          { op: "add", path: "/list/-", value: added },
          { op: "add", path: "/map/a~1b~0c", value: added },
          { op: "copy", from: "/map/m", path: "/copied" },
          { op: "test", path: "/list/2", value: added },
        ])
        const back = applyJsonPatch(there, [
          { op: "remove", path: "/copied" },
          { op: "remove", path: "/map/a~1b~0c" },
          { op: "remove", path: "/list/2" },
          { op: "remove", path: "/list/0" },
        ])
        expect(back).toEqual(copy)
        expect(target).toEqual(copy)
      }),
    )
  })

  it("refuses what can't be done, naming the operation", () => {
    const bad: Json[] = [
      [{ op: "remove", path: "/x" }],
      [{ op: "replace", path: "/list/0", value: 1 }],
      [{ op: "add", path: "/list/5", value: 1 }],
      [{ op: "add", path: "/list/-2", value: 1 }],
      [{ op: "add", path: "/list/x", value: 1 }],
      [{ op: "add", path: "/missing/x", value: 1 }],
      [{ op: "test", path: "/list/0", value: 1 }],
      [{ op: "test", path: "/missing/x", value: null }],
      [{ op: "move", from: "/list", path: "/list/0" }],
      [{ op: "add", path: "x", value: 1 }],
      [{ op: "add", path: "/constructor/x", value: 1 }],
      [{ op: "jump", path: "/x" }],
      [{ op: "remove", path: "" }],
      ["no operation"],
    ]
    for (const patch of bad) {
      expect(() => applyJsonPatch({ list: [] }, patch)).toThrow("operation 0")
    }
    expect(() => applyJsonPatch({}, { op: "add" })).toThrow("list of operations")
    const many = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/a" }))
    expect(() => applyJsonPatch({}, many)).toThrow("more than 10000")
  })

  it.each([
    [
      "replaces a missing member",
      { a: 1 },
      { op: "replace", path: "/b", value: 2 },
      { a: 1, b: 2 },
    ],
    [
      "counts from the end",
      { l: [1, 2] },
      { op: "replace", path: "/l/-1", value: 3 },
      { l: [1, 3] },
    ],
    [
      "adds before the last place",
      { l: [1] },
      { op: "add", path: "/l/-1", value: 2 },
      { l: [1, 2] },
    ],
    ["copies nothing as null", {}, { op: "copy", from: "/a", path: "/b" }, { b: null }],
    ["adds a missing value as null", {}, { op: "add", path: "/a" }, { a: null }],
    ["tests that nothing is there", { a: 1 }, { op: "test", path: "/b", value: null }, { a: 1 }],
  ])("as Kubernetes does, %s", (_, target, operation, expected) => {
    expect(applyJsonPatch(target as Json, [operation as Json])).toEqual(expected)
  })

  it("bounds what copies of copies may grow to", () => {
    const doubling = Array.from({ length: 40 }, () => ({ op: "copy", from: "/a", path: "/a/-" }))
    expect(() => applyJsonPatch({ a: ["x".repeat(100)] }, doubling)).toThrow("too much")
  })
})
