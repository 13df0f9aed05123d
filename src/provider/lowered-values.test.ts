// What zod accepts and what the lowered schema accepts is the same: authors' types hold for every
// object that the API lets in.

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import type { Json, JsonObject } from "../base/json.ts"
import { type CompiledSchema, compileSchema } from "../schema/compile-schema.ts"
import { lowerSchema } from "./lower-schema.ts"
import { ref } from "./ref.ts"
import { listMap, listSet } from "./schema-marks.ts"

const compile = (schema: z.ZodType): CompiledSchema =>
  compileSchema(lowerSchema(schema, "Thing"), "value")

/** As the API does it: defaults, then unknown fields, then rules. */
function accepts(compiled: CompiledSchema, value: JsonObject): boolean {
  const filled = compiled.applyDefaults(value)
  return compiled.prune(filled).unknown.length === 0 && compiled.validate(filled).length === 0
}

const spec = z.strictObject({
  name: z.string().min(1).max(4),
  size: z.int().min(0).max(9).default(3),
  ratio: z.number().gt(0).optional(),
  mode: z.enum(["open", "shut"]).optional(),
  note: z.string().nullable().optional(),
  tags: z
    .array(z.string().regex(/^[a-b]+$/))
    .max(2)
    .default([]),
  labels: z.record(z.string(), z.int()).optional(),
  from: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("file"), path: z.string(), depth: z.int().optional() }),
      z.strictObject({ type: z.literal("url"), url: z.string() }),
    ])
    .optional(),
})

const word = fc.constantFrom<Json>("", "a", "ab", "open", "shut", "file", "url", "long text")
const scalar = fc.oneof(word, fc.constantFrom<Json>(0, 3, 10, -1, 0.5, true, null))
const inner = fc.dictionary(fc.constantFrom("type", "path", "url", "depth", "other"), scalar)
const fields: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  name: scalar,
  size: scalar,
  ratio: scalar,
  mode: word,
  note: scalar,
  tags: fc.oneof(fc.array(word, { maxLength: 3 }), scalar),
  labels: fc.dictionary(fc.constantFrom("x", "y"), scalar),
  from: fc.oneof(
    inner,
    fc.record({ type: fc.constant("file"), path: word }),
    fc.record({ type: fc.constant("url"), url: word }),
  ),
  extra: scalar,
}
const member = fc
  .constantFrom(...Object.keys(fields))
  .chain((name) => fc.tuple(fc.constant(name), fields[name] ?? scalar))
/** A good value with at most two members changed, so that about half of them stay good. */
const value = fc
  .array(member, { maxLength: 2 })
  .map((changes) => ({ name: "ab", ...Object.fromEntries(changes) }))

describe("the lowered schema", () => {
  it("accepts a value exactly when zod does", () => {
    const compiled = compile(spec)
    let good = 0
    fc.assert(
      fc.property(value, (candidate) => {
        const given = JSON.parse(JSON.stringify(candidate)) as JsonObject
        // A null where none may stand is dropped with the defaults, as Kubernetes does it.
        const byZod = spec.safeParse(compiled.applyDefaults(given)).success
        if (byZod) good++
        else expect(spec.safeParse(given).success).toBe(false)
        expect({ given, accepted: accepts(compiled, given) }).toEqual({ given, accepted: byZod })
      }),
      { numRuns: 2000, seed: 7 },
    )
    expect(good).toBeGreaterThan(500)
  })

  it("fills the same defaults as zod", () => {
    expect(compile(spec).applyDefaults({ name: "a" })).toEqual(spec.parse({ name: "a" }))
  })

  it("takes foo or fooFrom, but neither none nor both", () => {
    const compiled = compile(
      z.strictObject({
        host: ref(z.string(), { kind: "Machine" }),
        zone: ref(z.string()).optional(),
      }),
    )
    const hostFrom = { name: "m1", field: "status.address" }
    const zoneFrom = { kind: "Zone", ...hostFrom }
    expect(accepts(compiled, { host: "h" })).toBe(true)
    expect(accepts(compiled, { hostFrom })).toBe(true)
    expect(accepts(compiled, { hostFrom, zoneFrom })).toBe(true)
    expect(accepts(compiled, {})).toBe(false)
    expect(accepts(compiled, { host: "h", hostFrom })).toBe(false)
    expect(accepts(compiled, { host: "h", zone: "z", zoneFrom })).toBe(false)
    expect(accepts(compiled, { host: "h", zoneFrom: hostFrom })).toBe(false)
  })

  it("refuses two items of the same key, and repeats in a set", () => {
    const item = z.strictObject({ id: z.string(), level: z.int() })
    const compiled = compile(
      z.strictObject({
        users: listMap(item, ["id"]).optional(),
        tags: listSet(z.string()).optional(),
      }),
    )
    const user = { id: "a", level: 1 }
    expect(accepts(compiled, { users: [user, { ...user, id: "b" }], tags: ["a", "b"] })).toBe(true)
    expect(accepts(compiled, { users: [user, { ...user, level: 2 }] })).toBe(false)
    expect(accepts(compiled, { tags: ["a", "a"] })).toBe(false)
  })
})
