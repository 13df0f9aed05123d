import { describe, expect, test } from "vitest"
import type { JsonObject } from "../base/json.ts"
import { structuralIssues } from "./structural-rules.ts"

const text: JsonObject = { type: "string" }

/** Issues of a schema for one member, as "code path". */
const judged = (it: JsonObject): string[] =>
  judgedRoot({ type: "object", properties: { it } }).map((line) =>
    line.replace("properties/it/", ""),
  )

const judgedRoot = (schema: JsonObject): string[] =>
  structuralIssues(schema, true).map((issue) => `${issue.code} ${issue.path.join("/")}`)

describe("structural rules", () => {
  test.each<[string, JsonObject, string[]]>([
    ["no type", {}, ["Required type"]],
    ["an unknown type", { type: "null" }, ["Invalid type"]],
    ["an array without items", { type: "array" }, ["Required items"]],
    ["a list of items", { type: "array", items: [text] }, ["Invalid items"]],
    ["items on a string", { type: "string", items: text }, ["Forbidden items"]],
    [
      "properties beside additionalProperties",
      { type: "object", properties: { a: text }, additionalProperties: text },
      ["Forbidden additionalProperties"],
    ],
    ["a reference", { type: "string", $ref: "#/x" }, ["Forbidden $ref"]],
    ["uniqueItems", { type: "array", items: text, uniqueItems: true }, ["Forbidden uniqueItems"]],
    ["a misspelt keyword", { type: "string", maxlength: 3 }, ["Unknown maxlength"]],
    ["a broken pattern", { type: "string", pattern: "(" }, ["Invalid pattern"]],
    ["a pattern beyond RE2", { type: "string", pattern: "(?=a)" }, ["Invalid pattern"]],
    [
      "an exploding pattern",
      { type: "string", pattern: "((a{1,1000}){1,1000})" },
      ["Invalid pattern"],
    ],
    ["a negative length", { type: "string", minLength: -1 }, ["Invalid minLength"]],
    ["an empty enum", { type: "string", enum: [] }, ["Invalid enum"]],
    [
      "preserve: false",
      { type: "object", "x-kubernetes-preserve-unknown-fields": false },
      ["Invalid x-kubernetes-preserve-unknown-fields"],
    ],
    [
      "int-or-string that preserves unknown fields",
      { "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true },
      ["Invalid x-kubernetes-preserve-unknown-fields"],
    ],
    [
      "an embedded map",
      {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
        additionalProperties: text,
      },
      ["Forbidden additionalProperties"],
    ],
    [
      "a kind that is no text",
      {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        properties: { kind: { type: "integer" } },
      },
      ["Invalid properties/kind/type"],
    ],
    [
      "metadata inside anyOf",
      {
        type: "object",
        properties: { metadata: { type: "object" } },
        anyOf: [{ properties: { metadata: {} } }],
      },
      ["Forbidden anyOf/0/properties/metadata"],
    ],
    [
      "an embedded resource without content",
      { type: "object", "x-kubernetes-embedded-resource": true },
      ["Required properties"],
    ],
    [
      "a map type on a string",
      { type: "string", "x-kubernetes-map-type": "atomic" },
      ["Invalid x-kubernetes-map-type"],
    ],
    [
      "a list type on a string",
      { type: "string", "x-kubernetes-list-type": "set" },
      ["Invalid x-kubernetes-list-type"],
    ],
    [
      "a set of nulls",
      { type: "array", "x-kubernetes-list-type": "set", items: { type: "string", nullable: true } },
      ["Forbidden items/nullable"],
    ],
    [
      "a set of granular maps",
      { type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } },
      ["Invalid items/x-kubernetes-map-type"],
    ],
    [
      "a map list without keys",
      { type: "array", "x-kubernetes-list-type": "map", items: { type: "object" } },
      ["Required x-kubernetes-list-map-keys"],
    ],
    [
      "a map list of strings",
      {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a"],
        items: text,
      },
      ["Invalid items/type", "Required items/properties/a"],
    ],
    [
      "an optional key",
      {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a"],
        items: { type: "object", properties: { a: text } },
      },
      ["Required items/properties/a/default"],
    ],
    [
      "keys without a map list",
      { type: "array", "x-kubernetes-list-map-keys": ["a"], items: text },
      ["Forbidden x-kubernetes-list-map-keys"],
    ],
    [
      "a type inside anyOf",
      { type: "string", anyOf: [{ type: "string" }] },
      ["Forbidden anyOf/0/type"],
    ],
    [
      "a default inside allOf",
      { type: "string", allOf: [{ default: "x" }] },
      ["Forbidden allOf/0/default"],
    ],
    [
      "a member only inside not",
      { type: "object", not: { properties: { a: {} } } },
      ["Required not/properties/a"],
    ],
    [
      "a prototype as a member",
      { type: "object", properties: { constructor: text } },
      ["Forbidden properties/constructor"],
    ],
  ])("refuse %s", (_, schema, issues) => {
    expect(judged(schema)).toEqual(issues)
  })

  test.each<[string, JsonObject]>([
    ["a plain map", { type: "object", additionalProperties: { type: "string" } }],
    ["closed maps", { type: "object", additionalProperties: false }],
    ["anything", { "x-kubernetes-preserve-unknown-fields": true }],
    ["vendor marks", { type: "string", "x-vendor": { a: 1 } }],
    [
      "int-or-string",
      { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
    ],
    [
      "int-or-string in allOf",
      {
        "x-kubernetes-int-or-string": true,
        allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { pattern: "^1" }],
      },
    ],
    [
      "junctors over declared members",
      {
        type: "object",
        properties: { a: text },
        anyOf: [{ properties: { a: { enum: ["x"] } }, required: ["a"] }],
      },
    ],
  ])("accept %s", (_, schema) => {
    expect(judged(schema)).toEqual([])
  })

  test("hold the root to an object whose metadata is left alone", () => {
    expect(judgedRoot({ type: "array", items: text })).toEqual(["Invalid type"])
    expect(judgedRoot({ type: "object", additionalProperties: text })).toEqual([
      "Forbidden additionalProperties",
    ])
    const metadata: JsonObject = { type: "object", properties: { labels: { type: "object" } } }
    expect(judgedRoot({ type: "object", properties: { metadata } })).toEqual([
      "Forbidden properties/metadata/properties/labels",
    ])
  })

  test("bound the depth of a schema instead of overflowing", () => {
    const depth = 20_000
    const open = '{"type":"object","properties":{"a":'.repeat(depth)
    const deep = `${open}{"type":"string"}${"}}".repeat(depth)}`
    expect(structuralIssues(JSON.parse(deep), true)[0]?.message).toContain("deeper than 100")
    const junctors = `${'{"not":'.repeat(depth)}{}${"}".repeat(depth)}`
    const nested = {
      type: "object",
      properties: { a: { type: "string", not: JSON.parse(junctors) } },
    }
    expect(structuralIssues(nested, true)[0]?.message).toContain("deeper than 100")
  })
})
