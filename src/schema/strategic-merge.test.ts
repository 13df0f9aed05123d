import fc from "fast-check"
import { describe, expect, it, test } from "vitest"
import type { JsonObject } from "../base/json.ts"
import { parseNode } from "./schema-node.ts"
import { applyStrategicMerge } from "./strategic-merge.ts"

const text = { type: "string" }
const byName = { "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name" }
const node = parseNode({
  type: "object",
  properties: {
    containers: {
      type: "array",
      ...byName,
      items: {
        type: "object",
        properties: {
          name: text,
          image: text,
          args: { type: "array", items: text },
          env: { type: "array", ...byName, items: { type: "object" } },
        },
      },
    },
    ports: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
      items: { type: "object" },
    },
    finalizers: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    strategy: { type: "object", "x-kubernetes-patch-strategy": "retainKeys" },
    whole: { type: "object", "x-kubernetes-patch-strategy": "replace" },
    list: { type: "array", items: text },
  },
})

const patch = (original: JsonObject, change: JsonObject) =>
  applyStrategicMerge(node, original, change)

const containers = [
  { name: "a", image: "one", env: [{ name: "X", value: "1" }] },
  { name: "b", image: "two" },
  { name: "c", image: "three" },
]

describe("a strategic merge", () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      "merges items by their key and keeps the others in place",
      { containers },
      { containers: [{ name: "b", image: "new", args: ["x"] }] },
      {
        containers: [
          containers[0] ?? {},
          { name: "b", image: "new", args: ["x"] },
          containers[2] ?? {},
        ],
      },
    ],
    [
      "merges lists in items, and removes by null",
      { containers: containers.slice(0, 1) },
      { containers: [{ name: "a", image: null, env: [{ name: "Y", value: "2" }] }] },
      {
        containers: [
          {
            name: "a",
            env: [
              { name: "Y", value: "2" },
              { name: "X", value: "1" },
            ],
          },
        ],
      },
    ],
    [
      "deletes an item by its key",
      { containers },
      { containers: [{ $patch: "delete", name: "b" }] },
      { containers: [containers[0] ?? {}, containers[2] ?? {}] },
    ],
    [
      "replaces a list as a whole",
      { containers },
      { containers: [{ $patch: "replace" }, { name: "z" }] },
      { containers: [{ name: "z" }] },
    ],
    [
      "replaces and deletes maps",
      { strategy: { type: "A", more: 1 }, whole: { a: 1 } },
      { strategy: { $patch: "replace", type: "B" }, whole: { b: 2 } },
      { strategy: { type: "B" }, whole: { b: 2 } },
    ],
    [
      "keeps only the named members",
      { strategy: { type: "A", rolling: { size: 1 } } },
      { strategy: { $retainKeys: ["type"], type: "B" } },
      { strategy: { type: "B" } },
    ],
    [
      "puts items into the stated order",
      { containers },
      {
        $setElementOrder: null,
        "$setElementOrder/containers": [{ name: "c" }, { name: "d" }, { name: "a" }],
        containers: [{ name: "d", image: "four" }],
      },
      {
        containers: [
          containers[1] ?? {},
          containers[2] ?? {},
          { name: "d", image: "four" },
          containers[0] ?? {},
        ],
      },
    ],
    [
      "adds to and deletes from lists of plain values",
      { finalizers: ["a", "b"] },
      { finalizers: ["c", "a"], "$deleteFromPrimitiveList/finalizers": ["b"] },
      { finalizers: ["c", "a"] },
    ],
    [
      "tells items apart by all keys of a list without a merge key",
      {
        ports: [
          { port: 80, protocol: "TCP", name: "x" },
          { port: 80, protocol: "UDP" },
        ],
      },
      { ports: [{ port: 80, protocol: "UDP", name: "y" }] },
      {
        ports: [
          { port: 80, protocol: "TCP", name: "x" },
          { port: 80, protocol: "UDP", name: "y" },
        ],
      },
    ],
    ["replaces lists without a mark", { list: ["a"] }, { list: ["b"] }, { list: ["b"] }],
    [
      "drops directives and nulls from what is new",
      {},
      { containers: [{ name: "a", image: null, env: [{ $patch: "delete", name: "X" }] }] },
      { containers: [{ name: "a", env: [] }] },
    ],
  ])("%s", (_, original, change, expected) => {
    const copy = structuredClone(original)
    expect(patch(original, change)).toEqual(expected)
    expect(original).toEqual(copy)
  })

  test.each<[string, JsonObject]>([
    ["unknown patch type", { $patch: "jump" }],
    ["unknown patch type", { containers: [{ $patch: "merge", name: "a" }] }],
    ["does not contain declared merge key: name", { containers: [{ image: "x" }] }],
    ["invalid patch format of retainKeys", { strategy: { $retainKeys: [], type: "B" } }],
    ["invalid patch format of setElementOrder", { "$setElementOrder/containers": "a" }],
    [
      "doesn't match $setElementOrder",
      { "$setElementOrder/containers": [{ name: "a" }], containers: [{ name: "q" }] },
    ],
    ["element types are not identical", { containers: ["a"] }],
    ["lists of lists", { finalizers: [["a"]] }],
    ["is forbidden", { constructor: { a: 1 } }],
  ])("is refused: %s", (why, change) => {
    const original = { containers, finalizers: ["a"], strategy: { type: "A" } }
    expect(() => patch(original, change)).toThrow(why)
  })

  it("changes nothing the second time", () => {
    const item = fc.record({
      name: fc.constantFrom("a", "b", "c"),
      image: fc.constantFrom("x", "y", null),
    })
    const items = fc.uniqueArray(item, { selector: ({ name }) => name })
    fc.assert(
      fc.property(items, items, (live, change) => {
        const wanted = { containers: change }
        const once = patch({ containers: live }, wanted)
        expect(patch(once, wanted)).toEqual(once)
      }),
    )
  })
})
