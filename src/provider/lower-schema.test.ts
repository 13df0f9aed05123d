import { describe, expect, it } from "vitest"
import { z } from "zod"
import { at, type JsonObject } from "../base/json.ts"
import { structuralIssues } from "../schema/structural-rules.ts"
import { lowerSchema } from "./lower-schema.ts"
import { ref } from "./ref.ts"
import { atomic, listMap, listSet, secret } from "./schema-marks.ts"

const lower = (shape: Record<string, z.ZodType>) => lowerSchema(z.strictObject(shape), "Thing")
const field = (schema: z.ZodType) => at(lower({ f: schema }), "properties", "f")

describe("lowering a schema", () => {
  it("trims the bounds that z.int brings and keeps the author's", () => {
    expect(field(z.int())).toEqual({ type: "integer" })
    expect(field(z.int().min(0).max(9))).toEqual({ type: "integer", minimum: 0, maximum: 9 })
    expect(field(z.number().positive())).toEqual({
      type: "number",
      minimum: 0,
      exclusiveMinimum: true,
    })
  })

  it("keeps defaults, enums, literals, null, descriptions and patterns", () => {
    expect(field(z.string().default("a"))).toEqual({ type: "string", default: "a" })
    expect(field(z.enum(["a", "b"]))).toEqual({ type: "string", enum: ["a", "b"] })
    expect(field(z.literal("a"))).toEqual({ type: "string", enum: ["a"] })
    expect(field(z.string().nullable())).toEqual({ type: "string", nullable: true })
    expect(field(z.strictObject({ a: z.string() }).nullable())).toMatchObject({
      type: "object",
      nullable: true,
    })
    expect(field(z.string().regex(/^a+$/).describe("As."))).toEqual({
      type: "string",
      pattern: "^a+$",
      description: "As.",
    })
  })

  it("requires what is neither optional nor has a default", () => {
    const schema = lower({ a: z.string(), b: z.string().optional(), c: z.int().default(1) })
    expect(schema.required).toEqual(["a"])
    expect(schema.additionalProperties).toBeUndefined()
  })

  it("keeps records, open objects and anything", () => {
    expect(field(z.record(z.string(), z.int()))).toEqual({
      type: "object",
      additionalProperties: { type: "integer" },
    })
    expect(field(z.looseObject({ a: z.string() }))).toMatchObject({
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
    })
    expect(field(z.unknown().optional())).toEqual({ "x-kubernetes-preserve-unknown-fields": true })
  })

  it("writes the marks of lists, maps and secrets, also under optional", () => {
    const item = z.strictObject({ id: z.string(), size: z.int() })
    expect(field(listMap(item, ["id"]).optional())).toMatchObject({
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["id"],
    })
    expect(field(listSet(z.string()))).toMatchObject({ "x-kubernetes-list-type": "set" })
    expect(field(atomic(z.array(z.string())))).toMatchObject({ "x-kubernetes-list-type": "atomic" })
    expect(field(atomic(item))).toMatchObject({ "x-kubernetes-map-type": "atomic" })
    expect(field(secret(z.string()).optional())).toMatchObject({ "x-setpoint-secret": true })
  })

  it("writes shared schemas in place instead of referring to them", () => {
    const shared = z.strictObject({ host: z.string() }).meta({ id: "Endpoint" })
    const schema = lower({ a: shared, b: shared })
    expect(JSON.stringify(schema)).not.toContain("$ref")
    expect(at(schema, "properties", "b", "properties", "host")).toEqual({ type: "string" })
  })

  it("makes integer or string of that union", () => {
    expect(field(z.union([z.string(), z.int()]))).toEqual({ "x-kubernetes-int-or-string": true })
  })

  it("makes one object and a condition of a discriminated union", () => {
    const schema = field(
      z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("file"), path: z.string(), mode: z.string().optional() }),
        z.strictObject({ type: z.literal("url"), url: z.string() }),
      ]),
    )
    expect(schema).toMatchObject({
      type: "object",
      required: ["type"],
      properties: { type: { enum: ["file", "url"] }, path: {}, mode: {}, url: {} },
      oneOf: [
        { properties: { type: { enum: ["file"] } }, required: ["path"] },
        { properties: { type: { enum: ["url"] } }, required: ["url"] },
      ],
    })
    expect(structuralIssues(schema as JsonObject, false)).toEqual([])
  })

  it("puts fooFrom beside foo and lets exactly one of them be given", () => {
    const schema = lower({ host: ref(z.string(), { field: "status.address" }), port: z.int() })
    expect(schema.required).toEqual(["port"])
    expect(schema.allOf).toEqual([{ oneOf: [{ required: ["host"] }, { required: ["hostFrom"] }] }])
    expect(at(schema, "properties", "hostFrom", "properties", "field", "default")).toBe(
      "status.address",
    )
    const optional = lower({ host: ref(z.string()).optional() })
    expect(optional.allOf).toEqual([{ not: { required: ["host", "hostFrom"] } }])
  })

  it.each([
    ["a tuple", z.tuple([z.string()]), "tuple"],
    ["a union of other types", z.union([z.string(), z.boolean()]), "several types"],
    ["a union of a list and a text", z.union([z.string(), z.array(z.string())]), "is a union"],
    ["a recursive type", z.json(), "Cycle"],
    ["a date", z.date(), "can't be written as a schema"],
    ["a transform", z.string().transform((text) => text.length), "can't be written as a schema"],
    ["a refinement in code", z.string().refine((text) => text !== ""), "refinement"],
    ["a pattern with flags", z.string().regex(/a/i), "flags"],
    ["a pattern that needs look-ahead", z.string().regex(/^(?!a)b/), "RE2"],
    ["keys with a rule", z.record(z.string().regex(/^a/), z.string()), "restricts its keys"],
    ["an enum of several types", z.literal(["a", 1]), "mixes types"],
    ["a default beside ref()", ref(z.string()).default("x"), "marked with ref()"],
    [
      "a union without a discriminator",
      z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })]),
      "without a discriminator",
    ],
    [
      "branches that disagree",
      z.discriminatedUnion("t", [
        z.strictObject({ t: z.literal("a"), v: z.string() }),
        z.strictObject({ t: z.literal("b"), v: z.int() }),
      ]),
      "disagree about v",
    ],
    [
      "a list map whose key is optional",
      listMap(z.strictObject({ id: z.string().optional() }), ["id"]),
      "id",
    ],
  ])("refuses %s and says where", (_, schema, cause) => {
    expect(() => lower({ f: schema })).toThrow(
      expect.objectContaining({ code: "SPT-PROV-003", message: expect.stringContaining(cause) }),
    )
  })

  it("refuses recursion instead of going on for ever", () => {
    const raw = {
      type: "object",
      properties: { a: { $ref: "#/definitions/A" } },
      definitions: { A: { type: "object", properties: { a: { $ref: "#/definitions/A" } } } },
    }
    expect(() => lowerSchema(raw, "Thing")).toThrow("nested more than")
    expect(() => lowerSchema({ type: "object", properties: { a: { $ref: "x" } } }, "T")).toThrow(
      "refers to x",
    )
  })
})
