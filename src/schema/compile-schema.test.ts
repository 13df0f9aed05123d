import { describe, expect, test } from "vitest"
import type { Json, JsonObject } from "../base/json.ts"
import { compileSchema, schemaIssues } from "./compile-schema.ts"
import { issueText } from "./issue.ts"
import { nodeAt } from "./schema-node.ts"

/** A definition whose spec has these members. */
const specOf = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { spec: { type: "object", properties, ...rest } },
})

const object = (spec: JsonObject, rest: JsonObject = {}): JsonObject => ({
  apiVersion: "test.dev/v1",
  kind: "Thing",
  metadata: { name: "one" },
  spec,
  ...rest,
})

/** What is said about a value of one member `it`. */
function said(schema: JsonObject, it: Json): string[] {
  return compileSchema({ type: "object", properties: { it: schema } }, "value")
    .validate({ it })
    .map((issue) => `${issue.code} ${issueText(issue)}`)
}

describe("validation", () => {
  test("says nothing about a valid object", () => {
    const schema = compileSchema(specOf({ path: { type: "string" } }, { required: ["path"] }))
    expect(schema.validate(object({ path: "/etc/motd" }))).toEqual([])
  })

  test("names every place that is wrong, to the member and the item", () => {
    const schema = compileSchema(
      specOf(
        {
          path: { type: "string", pattern: "^/" },
          mode: { type: "string", enum: ["a", "b"] },
          ports: {
            type: "array",
            items: { type: "object", properties: { port: { type: "integer", maximum: 9 } } },
          },
        },
        { required: ["owner"] },
      ),
    )
    const ports = [{ port: 1 }, { port: 10 }, { port: "x" }]
    const issues = schema.validate(object({ path: "etc", mode: "c", ports }))
    expect(issues.map((issue) => [issue.code, issue.path.join("/")])).toEqual([
      ["Required", "spec/owner"],
      ["Invalid", "spec/path"],
      ["NotSupported", "spec/mode"],
      ["Invalid", "spec/ports/1/port"],
      ["TypeInvalid", "spec/ports/2/port"],
    ])
  })

  test("never repeats the value, which may be a secret", () => {
    const text = said({ type: "string", pattern: "^x", maxLength: 3, format: "uuid" }, "hunter2")
    expect(text).toHaveLength(3)
    expect(text.join()).not.toContain("hunter2")
  })

  test.each<[string, JsonObject, Json, string]>([
    ["type", { type: "integer" }, 1.5, "TypeInvalid it: must be of type integer, not number"],
    ["null", { type: "string" }, null, "TypeInvalid it: must be of type string, not null"],
    ["object", { type: "object" }, [], "TypeInvalid it: must be of type object, not array"],
    ["minimum", { type: "number", minimum: 1 }, 0, "Invalid it: must be at least 1"],
    [
      "exclusive",
      { type: "number", maximum: 1, exclusiveMaximum: true },
      1,
      "Invalid it: must be below 1",
    ],
    ["multipleOf", { type: "integer", multipleOf: 3 }, 4, "Invalid it: must be a multiple of 3"],
    [
      "minLength",
      { type: "string", minLength: 2 },
      "é",
      "Invalid it: must be at least 2 characters long",
    ],
    [
      "maxLength",
      { type: "string", maxLength: 2 },
      "🐢🐢🐢",
      "TooLong it: must not be longer than 2 characters",
    ],
    [
      "maxItems",
      { type: "array", items: { type: "integer" }, maxItems: 1 },
      [1, 2],
      "TooMany it: must not have more than 1 items",
    ],
    [
      "minProperties",
      { type: "object", additionalProperties: true, minProperties: 1 },
      {},
      "Invalid it: must have at least 1 members",
    ],
    [
      "int32",
      { type: "integer", format: "int32" },
      2147483648,
      "Invalid it: must be in format int32",
    ],
    [
      "2^53",
      { type: "integer" },
      2 ** 53,
      "Invalid it: is a number beyond 2^53, which can't be kept exactly",
    ],
    [
      "1e999",
      { type: "number" },
      Number.POSITIVE_INFINITY,
      "Invalid it: is a number beyond 2^53, which can't be kept exactly",
    ],
    [
      "int-or-string",
      { "x-kubernetes-int-or-string": true },
      true,
      "TypeInvalid it: must be of type integer or string, not boolean",
    ],
    [
      "set",
      { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
      ["a", "b", "a"],
      "Duplicate it[2]: is a second item, after [0]",
    ],
    [
      "anyOf",
      { type: "string", anyOf: [{ pattern: "^a" }, { maxLength: 1 }] },
      "bb",
      "Invalid it: must match at least one of the forms in anyOf",
    ],
    [
      "oneOf",
      { type: "string", oneOf: [{ pattern: "^a" }, { maxLength: 1 }] },
      "a",
      "Invalid it: must match exactly one of the forms in oneOf, not 2",
    ],
    [
      "not",
      { type: "string", not: { enum: ["root"] } },
      "root",
      "Invalid it: must not match the form in not",
    ],
    [
      "allOf",
      { type: "string", allOf: [{ minLength: 3 }] },
      "a",
      "Invalid it: must be at least 3 characters long",
    ],
  ])("refuses a value by %s", (_, schema, value, message) => {
    expect(said(schema, value)).toEqual([message])
  })

  test.each<[string, JsonObject, Json]>([
    ["nullable", { type: "string", nullable: true, maxLength: 1 }, null],
    ["code points", { type: "string", maxLength: 2 }, "🐢🐢"],
    ["fractions", { type: "number", multipleOf: 0.1 }, 0.3],
    ["large floats", { type: "number" }, 1e300],
    ["an unanchored pattern", { type: "string", pattern: "b" }, "abc"],
    ["unknown formats", { type: "string", format: "colour" }, "?"],
    ["int-or-string", { "x-kubernetes-int-or-string": true }, "50%"],
    [
      "enum objects",
      { type: "object", additionalProperties: true, enum: [{ a: 1, b: 2 }] },
      { b: 2, a: 1 },
    ],
    [
      "oneOf by required",
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string" } },
        oneOf: [{ required: ["a"] }, { required: ["b"] }],
      },
      { b: "x" },
    ],
  ])("accepts %s", (_, schema, value) => {
    expect(said(schema, value)).toEqual([])
  })

  test("lets the forms inside junctors judge null as the value that it is", () => {
    const schema: JsonObject = {
      type: "object",
      properties: { user: { type: "string", nullable: true } },
      not: { properties: { user: { enum: ["root"] } }, required: ["user"] },
    }
    expect(said(schema, { user: null })).toEqual([])
    expect(said(schema, { user: "root" })).toHaveLength(1)
  })

  test("uses defaults to find two items with the same key", () => {
    const ports: JsonObject = {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
      items: {
        type: "object",
        required: ["port"],
        properties: { port: { type: "integer" }, protocol: { type: "string", default: "TCP" } },
      },
    }
    expect(said(ports, [{ port: 1 }, { port: 1, protocol: "UDP" }])).toEqual([])
    expect(said(ports, [{ port: 1 }, { port: 1, protocol: "TCP" }])).toEqual([
      "Duplicate it[1]: is a second item with this port and protocol, after [0]",
    ])
  })

  test("judges members whose names every object inherits by what is really there", () => {
    const schema: JsonObject = {
      type: "object",
      properties: { toString: { type: "string" } },
      required: ["toString"],
    }
    expect(said(schema, {})).toEqual(["Required it.toString: is required"])
    expect(said(schema, { toString: "x" })).toEqual([])
  })

  test("bounds depth, names and numbers where no schema speaks", () => {
    const open: JsonObject = { type: "object", "x-kubernetes-preserve-unknown-fields": true }
    const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`) as Json
    expect(said(open, deep).join()).toContain("is nested deeper than 128 levels")
    expect(said(open, JSON.parse('{"__proto__":1}'))).toEqual([
      "Forbidden it.__proto__: can't be a member's name",
    ])
    expect(said(open, JSON.parse('{"id":9007199254740993}')).join()).toContain("beyond 2^53")
  })

  test("stops after a hundred issues", () => {
    const items: JsonObject = { type: "array", items: { type: "string" } }
    expect(said(items, new Array(5000).fill(1))).toHaveLength(100)
  })

  test("knows the metadata that every object has", () => {
    const schema = compileSchema(specOf({}))
    const metadata = { name: 3, labels: { a: 1 }, finalizers: ["x", "x"] }
    const places = schema.validate(object({}, { metadata })).map((issue) => issue.path.join("/"))
    expect(places).toEqual(["metadata/name", "metadata/labels/a", "metadata/finalizers/1"])
  })

  test("lets a definition restrict the name", () => {
    const schema = compileSchema({
      type: "object",
      properties: {
        metadata: { type: "object", properties: { name: { type: "string", maxLength: 2 } } },
      },
    })
    expect(schema.validate(object({})).map(issueText)).toEqual([
      "metadata.name: must not be longer than 2 characters",
    ])
  })
})

test("an embedded object must say what it is", () => {
  const embedded: JsonObject = {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
  }
  const { validate } = compileSchema(specOf({ embedded }))
  const places = (value: JsonObject) => validate(object({ embedded: value })).map(issueText)
  expect(places({ kind: "X", metadata: { labels: [] } })).toEqual([
    "spec.embedded.apiVersion: is required",
    "spec.embedded.metadata.labels: must be of type object, not array",
  ])
  expect(places({ apiVersion: "v1", kind: "X", data: { a: 1 } })).toEqual([])
})

describe("a schema that is not structural", () => {
  test("is refused with every place named", () => {
    const schema = specOf({ a: {}, b: { type: "array" } })
    expect(schemaIssues(schema).map(issueText)).toEqual([
      "properties.spec.properties.a.type: every node needs a type",
      "properties.spec.properties.b.items: an array needs items",
    ])
    expect(() => compileSchema(schema)).toThrow(
      expect.objectContaining({
        code: "SPT-SCHEMA-001",
        message: expect.stringContaining("properties.spec.properties.b.items"),
      }),
    )
  })

  test("is one whose defaults are invalid or would be pruned", () => {
    const schema = specOf({
      a: { type: "string", maxLength: 1, default: "long" },
      b: { type: "object", default: { odd: 1 } },
      c: { type: "string", default: null },
    })
    expect(schemaIssues(schema).map(issueText)).toEqual([
      "properties.spec.properties.a.default: must not be longer than 1 characters",
      "properties.spec.properties.b.default.odd: would be pruned",
    ])
  })
})

test("the node keeps the marks that others read", () => {
  const rules = [{ rule: "self.a > 0", message: "must be positive" }]
  const { node } = compileSchema(
    specOf({
      key: { type: "string", "x-setpoint-secret": true, description: "the key" },
      n: {
        type: "object",
        properties: { a: { type: "integer" } },
        "x-kubernetes-validations": rules,
        "x-kubernetes-map-type": "atomic",
      },
    }),
  )
  expect(nodeAt(node, "spec", "key")).toMatchObject({ secret: true, description: "the key" })
  expect(nodeAt(node, "spec", "n")).toMatchObject({ rules, mapType: "atomic" })
})
