// Server-side apply over random schemas and histories, against a model that knows only sets of
// paths, and the laws that hold whatever a model says.

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isObject, type Json, type JsonObject } from "../../src/base/json.ts"
import { fieldText } from "../../src/object/field-path.ts"
import { FieldSet } from "../../src/object/field-set.ts"
import type { ManagedFieldsEntry } from "../../src/object/object.ts"
import { applySteps, updateSteps } from "../../src/schema/apply-merge.ts"
import { compileSchema } from "../../src/schema/compile-schema.ts"
import type { Steps, VersionedKind } from "../../src/schema/owner-versions.ts"
import type { SchemaNode } from "../../src/schema/schema-node.ts"
import { OwnershipModel, type Shape, schemaOf, shapes, statedIn, valuesOf } from "./apply-model.ts"

type Version = "v1" | "v2"
const time = "2024-01-01T00:00:00Z"
const runs = { numRuns: 100 }

const objectOf = (spec: Json): JsonObject => ({
  apiVersion: "test.dev/v1",
  kind: "Thing",
  metadata: { name: "one" },
  spec,
})

/** v2 calls every member of the spec `new-` and its name in v1. */
function inVersion(object: JsonObject, version: Version): JsonObject {
  const apiVersion = `test.dev/${version}`
  // Also of what is about to lose all of it.
  if (!isObject(object.spec)) return { ...object, apiVersion }
  const members = Object.entries(object.spec).map(([name, member]) => {
    const plain = name.replace(/^new-/, "")
    return [version === "v1" ? plain : `new-${plain}`, member]
  })
  return { ...object, apiVersion, spec: Object.fromEntries(members) }
}

const asInV1 = (path: string): string => path.replace(/^\.new-/, ".")

type Named = Pick<ManagedFieldsEntry, "operation" | "manager" | "apiVersion">

/** Appliers keep their entry over versions; updaters have one in each. */
function ownerOf({ operation, manager, apiVersion }: Named): string {
  const name = `${operation} ${manager}`
  return operation === "Apply" ? name : `${name} in ${apiVersion.split("/")[1]}`
}

function converting<T>(steps: Steps<T>): T {
  let step = steps.next()
  while (step.done !== true) {
    const { objects, apiVersion } = step.value
    const version = apiVersion === "test.dev/v2" ? "v2" : "v1"
    step = steps.next(objects.map((one) => inVersion(one, version)))
  }
  return step.value
}

/** An object as it is stored, in v1, and written in either version. */
class Stored {
  live: JsonObject | undefined
  managed: readonly ManagedFieldsEntry[] = []
  readonly #nodes: Readonly<Record<string, SchemaNode>>

  constructor(shape: Shape) {
    const spec = schemaOf(shape)
    const properties = inVersion({ spec: spec.properties as JsonObject }, "v2").spec as JsonObject
    const nodeOf = (one: JsonObject) =>
      compileSchema({ type: "object", properties: { spec: one } }).node
    this.#nodes = {
      "test.dev/v1": nodeOf(spec),
      "test.dev/v2": nodeOf({ ...spec, properties }),
    }
  }

  #kind(version: Version): VersionedKind {
    const apiVersion = `test.dev/${version}`
    const node = this.#nodes[apiVersion]
    if (node === undefined) throw new Error(`no ${version}`)
    const otherNode = (other: string) => (other === apiVersion ? undefined : this.#nodes[other])
    return { apiVersion, node, hasSamePaths: false, otherNode }
  }

  /** As the version of a request shows it. */
  #shown(version: Version): JsonObject | undefined {
    return this.live && version === "v2" ? inVersion(this.live, version) : this.live
  }

  /** The conflicts, as the model writes them. */
  apply(manager: string, spec: Json, force = false, version: Version = "v1"): string[] {
    const kind = this.#kind(version)
    const who = { manager, apiVersion: kind.apiVersion, time, force }
    const config = version === "v1" ? objectOf(spec) : inVersion(objectOf(spec), version)
    const done = converting(applySteps(kind, this.#shown(version), config, who, this.managed))
    if (done.conflicts.length > 0) {
      return done.conflicts
        .map((one) => `${ownerOf(one)} ${asInV1(one.field.slice(".spec".length))}`)
        .sort()
    }
    this.live = version === "v1" ? done.object : inVersion(done.object, "v1")
    this.managed = done.managedFields
    return []
  }

  update(manager: string, spec: Json, version: Version = "v1"): void {
    const kind = this.#kind(version)
    const who = { manager, apiVersion: kind.apiVersion, time }
    const after = version === "v1" ? objectOf(spec) : inVersion(objectOf(spec), version)
    const before = this.#shown(version) ?? {}
    this.managed = converting(updateSteps(kind, before, after, who, this.managed))
    this.live = objectOf(spec)
  }

  /** Who owns what, of the paths that the model knows. */
  owners(known: (path: string) => boolean): Map<string, string[]> {
    const owners = new Map<string, string[]>()
    for (const entry of this.managed) {
      const spec = FieldSet.fromFieldsV1(entry.fieldsV1).below("f:spec")
      const paths = [...spec.paths()].map((path) => asInV1(fieldText(path))).filter(known)
      if (paths.length > 0) owners.set(ownerOf(entry), paths.sort())
    }
    return owners
  }
}

interface Step {
  readonly version: Version
  readonly kind: "apply" | "force" | "update"
  readonly manager: string
  readonly spec: Json
}

const histories = shapes.chain((shape) =>
  fc.record({
    shape: fc.constant(shape),
    steps: fc.array(
      fc.record<Step>({
        version: fc.constantFrom("v1", "v1", "v2"),
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
        for (const { kind, manager, spec, version } of steps) {
          const stated = statedIn(shape, spec)
          if (kind === "update") {
            model.update(`Update ${manager} in ${version}`, stated)
            stored.update(manager, spec, version)
          } else {
            const force = kind === "force"
            const expected = model.apply(`Apply ${manager}`, stated, force)
            expect(stored.apply(manager, spec, force, version)).toEqual(expected)
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

  it("keeps what somebody else states in another version, empty when all in it went", () => {
    const stored = new Stored({ kind: "struct", members: { a: { kind: "free" } } })
    stored.apply("eve", { a: { m: { in: "y" }, n: 1 } }, false, "v2")
    stored.apply("ann", { a: { m: { in: "x" } } }, true)
    stored.apply("ann", { a: {} })
    expect(stored.live?.spec).toEqual({ a: { m: {}, n: 1 } })
  })

  it("keeps what is owned in one version within an item that is owned in another one", () => {
    const items: Shape = { kind: "keyed", members: { tags: { kind: "set" } }, defaulted: false }
    const stored = new Stored({ kind: "struct", members: { items } })
    stored.apply("ann", { items: [{ key: "1", tags: ["q"] }] }, false, "v2")
    stored.update("bob", { items: [{ key: "1", tags: ["p", "q"] }] }, "v2")
    stored.apply("ann", { items: [{ key: "1" }] })
    expect(stored.live?.spec).toEqual({ items: [{ key: "1", tags: ["p"] }] })
  })
})
