import { describe, expect, it } from "vitest"
import { z } from "zod"
import { at, isObject, type JsonObject } from "../base/json.ts"
import { absent, present } from "../contract/observation.ts"
import type { KindProvider } from "../contract/provider.ts"
import { defineKind, pluralOf } from "./define-kind.ts"
import { listMap, secret } from "./schema-marks.ts"

const spec = z.strictObject({
  name: z.string().min(1).describe("What it is called."),
  size: z.int().min(1).default(3),
  password: secret(z.string()).optional(),
  users: listMap(z.strictObject({ id: z.string(), key: secret(z.string()) }), ["id"]).optional(),
})

const box = (more: object = {}): KindProvider =>
  defineKind({
    group: "things.example.com",
    version: "v1",
    kind: "Box",
    spec,
    identity: ({ name }) => name,
    observe: async (target) =>
      target.desired.size > 9 ? absent("too big") : present({ name: target.desired.name }, "1"),
    create: async () => ({ kind: "done" }),
    update: async () => ({ kind: "done" }),
    delete: async () => ({ kind: "done" }),
    ...more,
  })

function schemaOf(kind: KindProvider, part: "spec" | "status"): JsonObject {
  const versions = kind.definition.spec?.versions
  const version = Array.isArray(versions) ? versions[0] : undefined
  const schema = at(version, "schema", "openAPIV3Schema", "properties", part)
  return isObject(schema) ? schema : {}
}

describe("defineKind", () => {
  it("makes the definition of the kind", () => {
    const { definition } = box({ shortNames: ["bx"] })
    expect(definition.metadata.name).toBe("boxes.things.example.com")
    expect(definition.spec).toMatchObject({
      scope: "Namespaced",
      names: { kind: "Box", plural: "boxes", shortNames: ["bx"], categories: ["setpoint"] },
      versions: [{ name: "v1", storage: true, subresources: { status: {} } }],
    })
    const names = at(definition.spec, "versions") as unknown
    const columns = Array.isArray(names) ? names[0].additionalPrinterColumns : []
    expect(columns.map((column: { name: string }) => column.name)).toEqual([
      "Ready",
      "Reason",
      "Age",
    ])
  })

  it("gives every kind adopt and a status, unless the kind declares adopt itself", () => {
    expect(at(schemaOf(box(), "spec"), "properties", "adopt", "type")).toBe("boolean")
    expect(at(schemaOf(box(), "status"), "properties", "conditions")).toMatchObject({
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
    })
    const own = box({ spec: z.strictObject({ name: z.string(), adopt: z.string() }) })
    expect(at(schemaOf(own, "spec"), "properties", "adopt")).toEqual({ type: "string" })
  })

  it("finds the secret fields; a list that holds some is secret as a whole", () => {
    expect(box().secretPaths).toEqual(["password", "users"])
  })

  it("calls the author's functions with the spec and fills what was not given", async () => {
    const kind = box()
    expect(kind.identity({ name: "a", size: 3 })).toBe("a")
    expect(kind.connection({ name: "a" })).toBe("")
    expect(kind).toMatchObject({
      provider: "boxes.things.example.com",
      identityRule: "derived",
      namespaced: true,
      batchWhole: false,
      fungible: false,
      timeoutMs: { observe: 10_000, act: 30_000 },
    })
    expect(kind.list).toBeUndefined()
  })

  it("refuses a kind that can't be observed, and says why", () => {
    try {
      box({ observe: undefined })
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ code: "SPT-PROV-001" })
      expect((error as { hint: string }).hint).toContain("event")
    }
    const withoutReading = {
      group: "things.example.com",
      version: "v1",
      kind: "Mail",
      spec,
      identity: () => "x",
      create: async () => ({ kind: "done" }) as const,
      update: async () => ({ kind: "done" }) as const,
      delete: async () => ({ kind: "done" }) as const,
    }
    // @ts-expect-error A kind needs observe or list; the types say so before it runs.
    expect(() => defineKind(withoutReading)).toThrow("neither observe nor list")
  })

  it.each([
    ["kind", { kind: "box" }],
    ["group", { group: "things" }],
    ["version", { version: "1" }],
    ["scopeOf", { observe: undefined, list: async () => ({ items: [], complete: true }) }],
    ["actBatch", { actBatch: async () => [] }],
    ["replaceOn", { replaceOn: ["colour"] }],
    ["both", { list: async () => ({ items: [], complete: true }), scopeOf: () => "" }],
    ["batch", { batch: "whole" }],
    ["create", { create: undefined }],
  ])("refuses a wrong %s", (_, more) => {
    expect(() => box(more)).toThrow(expect.objectContaining({ code: "SPT-PROV-002" }))
  })

  it("accepts a plain JSON Schema", () => {
    const kind = box({
      spec: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    })
    expect(at(schemaOf(kind, "spec"), "properties", "name")).toEqual({ type: "string" })
  })

  it("makes plurals", () => {
    expect(["Policy", "Box", "File", "Gateway", "Batch"].map(pluralOf)).toEqual([
      "policies",
      "boxes",
      "files",
      "gateways",
      "batches",
    ])
  })
})
