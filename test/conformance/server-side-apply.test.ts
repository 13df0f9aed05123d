// Server-side apply over random schemas and histories, against a model that knows only sets of
// paths, and the laws that hold whatever a model says.

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Json, JsonObject } from "../../src/base/json.ts"
import { fieldText } from "../../src/object/field-path.ts"
import { FieldSet } from "../../src/object/field-set.ts"
import type { ManagedFieldsEntry } from "../../src/object/object.ts"
import { applyMerge, updateManaged } from "../../src/schema/apply-merge.ts"
import { compileSchema } from "../../src/schema/compile-schema.ts"
import type { SchemaNode } from "../../src/schema/schema-node.ts"
import { OwnershipModel, type Shape, schemaOf, shapes, statedIn, valuesOf } from "./apply-model.ts"

const apiVersion = "test.dev/v1"
const time = "2024-01-01T00:00:00Z"
const runs = { numRuns: 100 }

const objectOf = (spec: Json): JsonObject => ({
  apiVersion,
  kind: "Thing",
  metadata: { name: "one" },
  spec,
})

class Stored {
  live: JsonObject | undefined
  managed: readonly ManagedFieldsEntry[] = []
  readonly node: SchemaNode

  constructor(shape: Shape) {
    const schema = { type: "object", properties: { spec: schemaOf(shape) } }
    this.node = compileSchema(schema).node
  }

  /** The conflicts, as the model writes them. */
  apply(manager: string, spec: Json, force = false): string[] {
    const who = { manager, apiVersion, time, force }
    const done = applyMerge(this.node, this.live, objectOf(spec), who, this.managed)
    if (done.conflicts.length > 0) {
      return done.conflicts
        .map((one) => `${one.operation} ${one.manager} ${one.field.slice(".spec".length)}`)
        .sort()
    }
    this.live = done.object
    this.managed = done.managedFields
    return []
  }

  update(manager: string, spec: Json): void {
    const after = objectOf(spec)
    const who = { manager, apiVersion, time }
    this.managed = updateManaged(this.node, this.live ?? {}, after, who, this.managed)
    this.live = after
  }

  /** Who owns what, of the paths that the model knows. */
  owners(known: (path: string) => boolean): Map<string, string[]> {
    const owners = new Map<string, string[]>()
    for (const { operation, manager, fieldsV1 } of this.managed) {
      const spec = FieldSet.fromFieldsV1(fieldsV1).below("f:spec")
      const paths = [...spec.paths()].map(fieldText).filter(known)
      if (paths.length > 0) owners.set(`${operation} ${manager}`, paths.sort())
    }
    return owners
  }
}

interface Step {
  readonly kind: "apply" | "force" | "update"
  readonly manager: string
  readonly spec: Json
}

const histories = shapes.chain((shape) =>
  fc.record({
    shape: fc.constant(shape),
    steps: fc.array(
      fc.record<Step>({
        kind: fc.constantFrom("apply", "apply", "force", "update"),
        manager: fc.constantFrom("ann", "bob", "eve"),
        spec: valuesOf(shape),
      }),
      { minLength: 1, maxLength: 7 },
    ),
  }),
)

const pairs = shapes.chain((shape) =>
  fc.tuple(fc.constant(shape), valuesOf(shape), valuesOf(shape)),
)

describe("server-side apply", () => {
  it("gives the objects, owners and conflicts that the rules say, over any history", () => {
    fc.assert(
      fc.property(histories, ({ shape, steps }) => {
        const stored = new Stored(shape)
        const model = new OwnershipModel()
        for (const { kind, manager, spec } of steps) {
          const stated = statedIn(shape, spec)
          if (kind === "update") {
            model.update(`Update ${manager}`, stated)
            stored.update(manager, spec)
          } else {
            const force = kind === "force"
            const expected = model.apply(`Apply ${manager}`, stated, force)
            expect(stored.apply(manager, spec, force)).toEqual(expected)
          }
          expect(statedIn(shape, stored.live?.spec)).toEqual(model.live)
          const owners = [...model.owners].filter(([, paths]) => paths.size > 0)
          const expected = new Map(owners.map(([name, paths]) => [name, [...paths].sort()]))
          expect(stored.owners((path) => model.live.has(path))).toEqual(expected)
        }
      }),
      runs,
    )
  })

  it("applied again changes nothing, not even a reference", () => {
    fc.assert(
      fc.property(pairs, ([shape, theirs, ours]) => {
        const stored = new Stored(shape)
        stored.update("bob", theirs)
        stored.apply("ann", ours, true)
        const { live, managed } = stored
        expect(stored.apply("ann", structuredClone(ours))).toEqual([])
        expect(stored.live).toBe(live)
        expect(stored.managed).toEqual(managed)
      }),
      runs,
    )
  })

  it("comes to the same in either order when managers state different members", () => {
    fc.assert(
      fc.property(pairs, fc.array(fc.boolean(), { minLength: 3 }), ([shape, whole], sides) => {
        const members = Object.entries(whole as JsonObject)
        const part = (side: boolean) =>
          Object.fromEntries(members.filter((_, index) => sides[index] === side))
        const [one, two] = [new Stored(shape), new Stored(shape)]
        expect(one.apply("ann", part(true))).toEqual([])
        expect(one.apply("bob", part(false))).toEqual([])
        expect(two.apply("bob", part(false))).toEqual([])
        expect(two.apply("ann", part(true))).toEqual([])
        expect(one.live).toEqual(two.live)
        expect(one.live?.spec).toEqual(whole)
        expect(one.owners(() => true)).toEqual(two.owners(() => true))
      }),
      runs,
    )
  })

  it("ends with what the last one forced, owned by it alone where it differed", () => {
    fc.assert(
      fc.property(pairs, ([shape, theirs, ours]) => {
        const stored = new Stored(shape)
        stored.apply("bob", theirs)
        expect(stored.apply("ann", ours, true)).toEqual([])
        const stated = statedIn(shape, ours)
        const before = statedIn(shape, theirs)
        const live = statedIn(shape, stored.live?.spec)
        const owners = stored.owners(() => true)
        for (const [path, text] of stated) {
          expect(live.get(path)).toBe(text)
          expect(owners.get("Apply ann")).toContain(path)
          if (before.get(path) !== text) expect(owners.get("Apply bob") ?? []).not.toContain(path)
        }
      }),
      runs,
    )
  })
})
