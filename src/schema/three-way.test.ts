import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { compactValue } from "../base/hash.ts"
import type { Json, JsonObject } from "../base/json.ts"
import { compileSchema } from "./compile-schema.ts"
import { untypedNode } from "./schema-node.ts"
import { diffThreeWay, type Sides } from "./three-way.ts"

const { node } = compileSchema(
  {
    type: "object",
    properties: {
      content: { type: "string" },
      mode: { type: "string" },
      owner: {
        type: "object",
        properties: { user: { type: "string" }, group: { type: "string" } },
      },
      labels: { type: "object", additionalProperties: { type: "string" } },
      atomic: {
        type: "object",
        additionalProperties: { type: "string" },
        "x-kubernetes-map-type": "atomic",
      },
      args: { type: "array", items: { type: "string" } },
      tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
      ports: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["port", "protocol"],
        items: {
          type: "object",
          required: ["port"],
          properties: {
            port: { type: "integer" },
            protocol: { type: "string", default: "TCP" },
            name: { type: "string" },
            nodePort: { type: "integer" },
          },
        },
      },
    },
  },
  "value",
)

const brief = (sides: Sides) => diffThreeWay(node, sides).map(({ path, why }) => `${why} ${path}`)

/** The judgement of one leaf; undefined stands for absent. */
function judged(applied?: string, wanted?: string, found?: string): string[] {
  const side = (mode?: string): JsonObject => (mode === undefined ? {} : { mode })
  return brief({ applied: side(applied), desired: side(wanted), observed: side(found) })
}

describe("three-way judgement of a leaf", () => {
  test.each<[string, string | undefined, string | undefined, string | undefined, string[]]>([
    ["wanted and found agree", "a", "b", "b", []],
    ["nobody touched what we applied and the wish changed", "a", "b", "a", ["requested mode"]],
    ["the world changed what is still wanted", "a", "a", "b", ["drift mode"]],
    ["the world removed what is still wanted", "a", "a", undefined, ["drift mode"]],
    ["something is there that we never applied", undefined, "a", "b", ["adopt mode"]],
    ["nothing is there yet", undefined, "a", undefined, ["requested mode"]],
    ["both the wish and the world changed", "a", "b", "c", ["conflict mode"]],
    ["the wish is gone and the value still ours", "a", undefined, "a", ["requested mode"]],
    ["the wish is gone and the value changed", "a", undefined, "b", ["conflict mode"]],
    ["the wish is gone and so is the value", "a", undefined, undefined, []],
    ["only the target has it", undefined, undefined, "b", []],
  ])("%s", (_, applied, wanted, found, expected) => {
    expect(judged(applied, wanted, found)).toEqual(expected)
  })

  test("carries what was found and what is wanted", () => {
    const sides = { applied: { mode: "a", content: "x" }, desired: { mode: "b" } }
    expect(diffThreeWay(node, { ...sides, observed: { mode: "a", content: "x" } })).toEqual([
      { path: "content", before: "x", why: "requested" },
      { path: "mode", before: "a", after: "b", why: "requested" },
    ])
  })

  test('compares strictly: neither 1 and "1" nor null and absent are the same', () => {
    const untyped = (desired: Json, observed: Json) =>
      diffThreeWay(untypedNode, { desired: { a: desired }, observed: { a: observed } })
    expect(untyped(1, "1")).toHaveLength(1)
    expect(untyped(null, 0)).toHaveLength(1)
    expect(diffThreeWay(untypedNode, { desired: { a: null }, observed: {} })).toHaveLength(1)
  })
})

describe("maps and lists", () => {
  test("maps are compared member by member, and what the target added is its own", () => {
    const applied = { labels: { "a.b/c": "1", old: "1" }, owner: { user: "root" } }
    const desired = { labels: { "a.b/c": "2" }, owner: { user: "root" } }
    const observed = {
      labels: { "a.b/c": "1", old: "1", theirs: "x" },
      owner: { user: "www", group: "www" },
    }
    expect(brief({ applied, desired, observed })).toEqual([
      "requested labels.old",
      'requested labels["a.b/c"]',
      "drift owner.user",
    ])
  })

  test("atomic maps and plain lists are one value", () => {
    const desired = { atomic: { a: "1" }, args: ["a", "b"] }
    const observed = { atomic: { a: "1", b: "2" }, args: ["b", "a"] }
    expect(brief({ applied: desired, desired, observed })).toEqual(["drift args", "drift atomic"])
  })

  test("sets are compared by item, whatever the order", () => {
    const applied = { tags: ["a", "b"] }
    const desired = { tags: ["c", "a"] }
    expect(brief({ applied, desired, observed: { tags: ["own", "b", "a"] } })).toEqual([
      'requested tags[="b"]',
      'requested tags[="c"]',
    ])
  })

  test("items of a map list are matched by key, with defaults for what is left out", () => {
    const applied = { ports: [{ port: 80, name: "web" }] }
    const desired = { ports: [{ port: 443 }, { port: 80, name: "web" }] }
    const observed = { ports: [{ protocol: "TCP", port: 80, name: "www", nodePort: 30000 }] }
    expect(diffThreeWay(node, { applied, desired, observed })).toEqual([
      { path: 'ports[port=443,protocol="TCP"]', after: { port: 443 }, why: "requested" },
      { path: 'ports[port=80,protocol="TCP"].name', before: "www", after: "web", why: "drift" },
    ])
  })

  test("an item goes as a whole, and what the target added to it makes no conflict", () => {
    const applied = { ports: [{ port: 80, name: "web" }] }
    const full = { port: 80, name: "web", nodePort: 30000 }
    expect(diffThreeWay(node, { applied, desired: {}, observed: { ports: [full] } })).toEqual([
      { path: 'ports[port=80,protocol="TCP"]', before: full, why: "requested" },
    ])
    const renamed = { ports: [{ ...full, name: "other" }] }
    expect(brief({ applied, desired: {}, observed: renamed })).toEqual([
      'conflict ports[port=80,protocol="TCP"]',
    ])
  })

  test("a list with a repeated key is compared as a whole instead of guessed at", () => {
    const desired = { ports: [{ port: 80 }] }
    const observed = { ports: [{ port: 80 }, { port: 80, name: "again" }] }
    expect(brief({ applied: desired, desired, observed })).toEqual(["drift ports"])
  })

  test("an empty map asks only that there is one", () => {
    expect(brief({ desired: { labels: {} }, observed: {} })).toEqual(["requested labels"])
    expect(brief({ desired: { labels: {} }, observed: { labels: { a: "1" } } })).toEqual([])
    const applied = { labels: {} }
    expect(brief({ applied, desired: {}, observed: { labels: {} } })).toEqual(["requested labels"])
    expect(brief({ applied, desired: {}, observed: { labels: { a: "1" } } })).toEqual([])
  })

  test("a value of another shape is replaced as a whole", () => {
    const both = { applied: { a: { b: 1 } }, desired: { a: { b: 1 } } }
    expect(diffThreeWay(untypedNode, { ...both, observed: { a: [1] } })).toEqual([
      { path: "a", before: [1], after: { b: 1 }, why: "drift" },
    ])
  })
})

describe("an absent target", () => {
  test("makes everything requested, or drift where it was applied before", () => {
    const desired = { mode: "b", owner: { user: "root" }, tags: ["a"] }
    const applied = { mode: "a", tags: ["a"], content: "gone" }
    expect(brief({ applied, desired })).toEqual([
      "drift mode",
      "requested owner.user",
      'drift tags[="a"]',
    ])
    expect(brief({ desired: {} })).toEqual([])
  })
})

describe("recorded hashes", () => {
  const long = "x".repeat(5000)
  const record = (value: Json) => compactValue(value) as Json

  test("equal the long value they stand for", () => {
    const applied = { content: record(long) }
    const desired = { content: long }
    expect(brief({ applied, desired, observed: { content: "edited" } })).toEqual(["drift content"])
    expect(brief({ applied, desired: { content: "new" }, observed: desired })).toEqual([
      "requested content",
    ])
  })

  test("are one value, never a map that is compared member by member", () => {
    const hidden = (hash: string) => ({ $hash: `hmac:k1:${hash}`, $length: 8 })
    const sides = { applied: { key: hidden("a") }, desired: { key: hidden("a") } }
    expect(diffThreeWay(untypedNode, { ...sides, observed: { key: hidden("b") } })).toEqual([
      { path: "key", before: hidden("b"), after: hidden("a"), why: "drift" },
    ])
  })

  test("equal it inside lists and untyped maps too", () => {
    const applied = { a: { list: [record(long)], text: record(long) } }
    const observed = { a: { list: [long], text: long } }
    const found = diffThreeWay(untypedNode, { applied, desired: { a: {} }, observed })
    expect(found.map(({ path, why }) => `${why} ${path}`)).toEqual([
      "requested a.list",
      "requested a.text",
    ])
  })
})

test("the order of members never changes the result", () => {
  const value = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.integer({ max: 2, min: 0 }))
  fc.assert(
    fc.property(value, value, value, (applied, desired, observed) => {
      const turned = (side: JsonObject): JsonObject =>
        Object.fromEntries(Object.entries(side).reverse())
      expect(
        diffThreeWay(untypedNode, {
          applied: turned(applied),
          desired: turned(desired),
          observed: turned(observed),
        }),
      ).toEqual(diffThreeWay(untypedNode, { applied, desired, observed }))
    }),
  )
})
