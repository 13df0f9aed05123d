import { describe, expect, test } from "vitest"
import type { JsonObject } from "../base/json.ts"
import { compileSchema } from "./compile-schema.ts"

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

describe("pruning", () => {
  const schema = compileSchema(
    specOf({
      known: { type: "object", properties: { a: { type: "string" } } },
      open: {
        type: "object",
        "x-kubernetes-preserve-unknown-fields": true,
        properties: { typed: { type: "object", properties: {} } },
      },
      map: { type: "object", additionalProperties: { type: "object", properties: {} } },
      list: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
      embedded: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      },
    }),
  )

  test("drops what the schema does not know and says where it was", () => {
    const { value, unknown } = schema.prune(
      object(
        {
          known: { a: "x", b: 1 },
          open: { free: { x: 1 }, typed: { y: 1 } },
          map: { one: { z: 1 } },
          list: [{ a: "x" }, { b: 1 }],
          extra: true,
        },
        { metadata: { name: "one", colour: "red" }, other: 1 },
      ),
    )
    expect(unknown.map((path) => path.join("/")).sort()).toEqual([
      "metadata/colour",
      "other",
      "spec/extra",
      "spec/known/b",
      "spec/list/1/b",
      "spec/map/one/z",
      "spec/open/typed/y",
    ])
    expect(value).toEqual(
      object({
        known: { a: "x" },
        open: { free: { x: 1 }, typed: {} },
        map: { one: {} },
        list: [{ a: "x" }, {}],
      }),
    )
  })

  test("gives back the same reference when there is nothing to drop", () => {
    const whole = object({ known: { a: "x" }, open: { free: 1 }, list: [{ a: "x" }] })
    expect(schema.prune(whole)).toEqual({ value: whole, unknown: [] })
    expect(schema.prune(whole).value).toBe(whole)
  })

  test("keeps the identity of embedded objects and prunes their metadata", () => {
    const embedded = { apiVersion: "v1", kind: "X", metadata: { name: "n", odd: 1 }, data: {} }
    const { unknown } = schema.prune(object({ embedded }))
    expect(unknown).toEqual([["spec", "embedded", "metadata", "odd"]])
  })
})

describe("defaulting", () => {
  const schema = compileSchema(
    specOf({
      mode: { type: "string", default: "0644" },
      owner: { type: "string", nullable: true, default: "root" },
      plain: { type: "string" },
      nested: {
        type: "object",
        default: {},
        properties: { deep: { type: "integer", default: 3 } },
      },
      list: {
        type: "array",
        items: { type: "object", properties: { p: { type: "string", default: "TCP" } } },
      },
    }),
  )

  test("fills in what is missing, at every depth", () => {
    expect(schema.applyDefaults(object({ list: [{}] })).spec).toEqual({
      mode: "0644",
      owner: "root",
      nested: { deep: 3 },
      list: [{ p: "TCP" }],
    })
  })

  test("counts null as missing unless the member may be null", () => {
    const spec = schema.applyDefaults(object({ mode: null, owner: null, plain: null })).spec
    expect(spec).toEqual({ mode: "0644", owner: null, nested: { deep: 3 } })
  })

  test("does not invent a spec, and keeps the reference when nothing is missing", () => {
    const bare: JsonObject = { apiVersion: "v1", kind: "X", metadata: { name: "n" } }
    expect(schema.applyDefaults(bare)).toBe(bare)
    const full = schema.applyDefaults(object({}))
    expect(schema.applyDefaults(full)).toBe(full)
  })

  test("never lets one object change the default of the next", () => {
    const spec = schema.applyDefaults(object({})).spec as { nested: { deep: number } }
    expect(() => {
      spec.nested.deep = 4
    }).toThrow(TypeError)
  })
})
