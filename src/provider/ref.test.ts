import { describe, expect, it } from "vitest"
import { z } from "zod"
import type { Json, JsonObject } from "../base/json.ts"
import { absent } from "../contract/observation.ts"
import type { ApiObject } from "../object/object.ts"
import { defineKind } from "./define-kind.ts"
import { readField, ref, references } from "./ref.ts"

const done = async () => ({ kind: "done" }) as const
const kind = defineKind({
  group: "things.example.com",
  version: "v1",
  kind: "Listener",
  spec: z.strictObject({
    name: z.string(),
    host: ref(z.string(), { kind: "Machine", field: "status.address" }),
    ports: z.array(z.strictObject({ number: ref(z.int()) })).default([]),
    hostFromFile: z.string().optional(),
  }),
  identity: ({ name }) => name,
  observe: async () => absent("none"),
  create: done,
  update: done,
  delete: done,
})

const from = (name: string, field: string) => ({ kind: "Machine", name, field })
const spec: JsonObject = {
  name: "web",
  adopt: true,
  hostFrom: { ...from("m1", "status.address"), namespace: "infra" },
  ports: [{ number: 80 }, { numberFrom: from("m1", "spec.port") }],
}

describe("references", () => {
  it("are found with the field that they fill", () => {
    expect(references(kind, spec)).toEqual([
      { path: "host", ...from("m1", "status.address"), namespace: "infra" },
      { path: "ports[1].number", ...from("m1", "spec.port") },
    ])
  })

  it("are filled in, and what is the engine's is taken out", () => {
    const values: Record<string, Json> = { "status.address": "10.0.0.1", "spec.port": 8080 }
    expect(kind.desire?.(spec, ({ field }) => values[field])).toEqual({
      desired: { name: "web", host: "10.0.0.1", ports: [{ number: 80 }, { number: 8080 }] },
      missing: [],
    })
  })

  it("without a value, or with one of another type, are missing and say why", () => {
    const { desired, missing } = kind.desire?.(spec, ({ field }) =>
      field === "spec.port" ? "eighty" : undefined,
    ) ?? { desired: {}, missing: [] }
    expect(desired).toEqual({ name: "web", ports: [{ number: 80 }, {}] })
    expect(missing).toMatchObject([
      { path: "host", reason: "Machine m1 has no status.address yet" },
      { path: "ports[1].number", reason: "its value is of type string, and integer is needed" },
    ])
  })

  it("leave a spec without references as it is", () => {
    const plain = { name: "web", host: "h", hostFromFile: "x", ports: [] }
    expect(kind.desire?.(plain, () => undefined)).toEqual({ desired: plain, missing: [] })
  })

  it("read fields of spec, status and the name, and nothing that is inherited", () => {
    const object: ApiObject = {
      apiVersion: "v1",
      kind: "Machine",
      metadata: { name: "m1", labels: { a: "b" } },
      status: { addresses: [{ ip: "10.0.0.1" }] },
    }
    expect(readField(object, "status.addresses.0.ip")).toBe("10.0.0.1")
    expect(readField(object, "metadata.name")).toBe("m1")
    for (const field of ["status.nothing", "status.addresses.1", "metadata.labels", "kind", ""]) {
      expect(readField(object, field)).toBeUndefined()
    }
    expect(readField(object, "status.constructor.name")).toBeUndefined()
  })
})
