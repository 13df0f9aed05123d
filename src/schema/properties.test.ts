// What must hold for all schemas and all values, tried on many.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { type Branch, FieldSet } from "../object/field-set.ts"
import type { ManagedFieldsEntry } from "../object/object.ts"
import { applyMerge, changedPaths, updateManaged } from "./apply-merge.ts"
import { compileSchema, schemaIssues } from "./compile-schema.ts"
import { readOwners } from "./managed-fields.ts"
import { nodeAt } from "./schema-node.ts"
import { putAt } from "./testing/put-at.ts"
import { diffPaths, diffThreeWay } from "./three-way.ts"
import { compareTyped, fieldSetOf } from "./typed-merge.ts"

const names = ["a", "b", "c", "toString"] as const
const runs = { numRuns: 300 }

/** Structural schemas of every shape, with defaults and nullable members. */
const { schema } = fc.letrec<{ schema: JsonObject; object: JsonObject; list: JsonObject }>(
  (tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.record(
        { type: fc.constant("string"), nullable: fc.boolean(), default: fc.constant("d") },
        { requiredKeys: ["type"] },
      ),
      fc.record(
        { type: fc.constant("integer"), default: fc.nat(3), maximum: fc.constant(3) },
        { requiredKeys: ["type"] },
      ),
      fc.constant<JsonObject>({ "x-kubernetes-int-or-string": true }),
      fc.constant<JsonObject>({ "x-kubernetes-preserve-unknown-fields": true }),
      tie("object"),
      tie("list"),
    ),
    object: fc.oneof(
      fc.record(
        {
          type: fc.constant("object"),
          properties: fc.dictionary(fc.constantFrom(...names), tie("schema"), { maxKeys: 3 }),
          default: fc.constant({}),
          nullable: fc.boolean(),
          "x-kubernetes-preserve-unknown-fields": fc.constant(true),
        },
        { requiredKeys: ["type", "properties"] },
      ),
      fc.record({ type: fc.constant("object"), additionalProperties: tie("schema") }),
    ),
    list: fc.record({ type: fc.constant("array"), items: tie("schema") }),
  }),
)

const json = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, 1, 5, 1.5, "x"),
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names, "zzz"), tie("json"), { maxKeys: 4 }),
  ),
})).json

describe("for every schema and value", () => {
  const cases = fc.record({ it: schema, value: fc.record({ it: json, extra: json }) })

  function compiled(it: JsonObject) {
    const root: JsonObject = { type: "object", properties: { it } }
    fc.pre(schemaIssues(root, "value").length === 0)
    return compileSchema(root, "value")
  }

  test("pruning twice is pruning once, and reports what it dropped", () => {
    fc.assert(
      fc.property(cases, ({ it, value }) => {
        const { prune } = compiled(it)
        const once = prune(value)
        expect(once.unknown.length > 0).toBe(once.value !== value)
        expect(prune(once.value)).toEqual({ value: once.value, unknown: [] })
        expect(prune(once.value).value).toBe(once.value)
      }),
      runs,
    )
  })

  test("defaulting twice is defaulting once, and brings nothing to prune", () => {
    fc.assert(
      fc.property(cases, ({ it, value }) => {
        const { prune, applyDefaults } = compiled(it)
        const before = structuredClone(value)
        const once = applyDefaults(prune(value).value)
        expect(applyDefaults(once)).toBe(once)
        expect(prune(once).value).toBe(once)
        expect(value).toEqual(before)
      }),
      runs,
    )
  })

  test("every issue points at a place that exists, or at what is missing there", () => {
    fc.assert(
      fc.property(cases, ({ it, value }) => {
        for (const { path, code } of compiled(it).validate(value)) {
          let place: unknown = value
          for (const part of path.slice(0, code === "Required" ? -1 : undefined)) {
            expect(Object.hasOwn(Object(place), part)).toBe(true)
            place = (place as Record<string, unknown>)[part]
          }
        }
      }),
      runs,
    )
  })
})

const sample = compileSchema({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        color: { type: "string" },
        size: { type: "integer" },
        args: { type: "array", items: { type: "string" } },
        options: { type: "object", additionalProperties: { type: "string" } },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
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
              weight: { type: "integer" },
            },
          },
        },
      },
    },
  },
})
const { node } = sample
const specNode = nodeAt(node, "spec")

const word = fc.constantFrom("x", "y", "z")
const port = fc.record(
  {
    port: fc.constantFrom(80, 81),
    protocol: fc.constantFrom("TCP", "UDP"),
    name: word,
    weight: fc.nat(2),
  },
  { requiredKeys: ["port"] },
)
const spec: fc.Arbitrary<JsonObject> = fc.record(
  {
    color: word,
    size: fc.nat(2),
    args: fc.array(word, { maxLength: 2 }),
    options: fc.dictionary(fc.constantFrom("a", "b", "toString"), word),
    free: fc.dictionary(fc.constantFrom("a", "b"), fc.oneof(word, fc.dictionary(word, word))),
    tags: fc.uniqueArray(word),
    ports: fc.uniqueArray(port, {
      selector: (p) => `${p.port}${p.protocol ?? "TCP"}`,
      maxLength: 3,
    }),
  },
  { requiredKeys: [] },
)

/** Specs in which equal paths have equal values: whoever applies them, nobody conflicts. */
const agreed: fc.Arbitrary<JsonObject> = fc.record(
  {
    color: fc.constant("x"),
    size: fc.constant(1),
    args: fc.constant(["x", "y"]),
    options: fc.record(
      { a: fc.constant("x"), toString: fc.constant("y") },
      { requiredKeys: [], noNullPrototype: true },
    ),
    free: fc.dictionary(fc.constantFrom("a", "b"), fc.dictionary(word, fc.constant("x"))),
    tags: fc.uniqueArray(word),
    ports: fc.uniqueArray(
      fc.record(
        { port: fc.constantFrom(80, 81), name: fc.constant("x"), weight: fc.constant(2) },
        { requiredKeys: ["port"] },
      ),
      { selector: (item) => item.port },
    ),
  },
  { requiredKeys: [] },
)

describe("three-way differences", () => {
  test("are none between equal sides, and none at all when the target is as desired", () => {
    fc.assert(
      fc.property(spec, spec, (desired, applied) => {
        const observed = structuredClone(desired) as JsonObject
        expect(diffThreeWay(specNode, { applied, desired, observed })).toEqual([])
      }),
      runs,
    )
  })

  test("close when they are applied", () => {
    fc.assert(
      fc.property(fc.option(spec, { nil: undefined }), spec, spec, (applied, desired, observed) => {
        let value: Json | undefined = observed
        for (const { path, after } of diffPaths(specNode, { applied, desired, observed })) {
          value = putAt(specNode, value, path, after)
        }
        const now = isObject(value) ? value : {}
        expect(diffThreeWay(specNode, { applied, desired, observed: now })).toEqual([])
        expect(diffThreeWay(specNode, { applied: desired, desired, observed: now })).toEqual([])
      }),
      runs,
    )
  })

  test("build the whole target when it is absent", () => {
    fc.assert(
      fc.property(spec, (desired) => {
        let value: Json | undefined = {}
        for (const { path, after } of diffPaths(specNode, { desired })) {
          value = putAt(specNode, value, path, after)
        }
        expect(diffThreeWay(specNode, { desired, observed: value as JsonObject })).toEqual([])
      }),
      runs,
    )
  })
})

const object = (it: JsonObject): JsonObject => ({
  apiVersion: "test.dev/v1",
  kind: "Thing",
  metadata: { name: "one" },
  spec: it,
})
const writer = (manager: string, force = false) => ({
  manager,
  force,
  apiVersion: "test.dev/v1",
  time: "2024-01-01T00:00:00Z",
})

interface State {
  readonly live: JsonObject | undefined
  readonly managed: readonly ManagedFieldsEntry[]
}

function apply(state: State, manager: string, it: JsonObject, force = false): State {
  const { live, managed } = state
  const done = applyMerge(node, live, object(it), writer(manager, force), managed)
  if (done.conflicts.length > 0) return state
  return { live: done.object, managed: done.managedFields }
}

const nothing: State = { live: undefined, managed: [] }

/** Every path of an object, containers too. */
function allPaths(live: JsonObject | undefined): FieldSet {
  return compareTyped(node, {}, live ?? {}).added
}

/** Members and items in one order, since two appliers may bring list items in either. */
function sorted(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) {
    const items = value.map(sorted) as Json[]
    return items.toSorted((l, r) => (JSON.stringify(l) < JSON.stringify(r) ? -1 : 1))
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const)
  return Object.fromEntries(entries.toSorted(([l], [r]) => (l < r ? -1 : 1)))
}

/** Without empty lists: those that divide by item are stated by their items alone. */
function filled(live: JsonObject | undefined): Json {
  const drop = (_: string, value: Json) =>
    isArray(value) && value.length === 0 ? undefined : value
  return JSON.parse(JSON.stringify(live ?? {}, drop)) as Json
}

/** The part of a set whose top members are in the list. */
const within = (set: FieldSet, ...keys: readonly string[]) =>
  FieldSet.make(
    false,
    new Map<string, Branch>([...set.branches].filter(([key]) => keys.includes(key))),
  )

describe("server-side apply", () => {
  test("is idempotent, to the reference", () => {
    fc.assert(
      fc.property(spec, spec, (theirs, ours) => {
        const once = apply(apply(nothing, "bob", theirs), "ann", ours, true)
        const twice = apply(once, "ann", structuredClone(ours) as JsonObject, true)
        expect(twice.live).toBe(once.live)
        expect(twice.managed).toEqual(once.managed)
      }),
      runs,
    )
  })

  test("gives the same object in either order when nobody conflicts", () => {
    fc.assert(
      fc.property(agreed, agreed, (left, right) => {
        const one = apply(apply(nothing, "ann", left), "bob", right)
        const two = apply(apply(nothing, "bob", right), "ann", left)
        expect(sorted(one.live)).toEqual(sorted(two.live))
        // The time says when an applier last changed something, and so differs.
        const owned = ({ managed }: State) =>
          new Map(managed.map(({ manager, fieldsV1 }) => [manager, fieldsV1]))
        expect(owned(one)).toEqual(owned(two))
      }),
      runs,
    )
  })

  test("takes away exactly what the applier alone stated", () => {
    fc.assert(
      fc.property(agreed, agreed, (theirs, ours) => {
        const both = apply(apply(nothing, "bob", theirs), "ann", ours)
        const left = apply(both, "ann", {})
        // The last applier's order of items stands, so that the other may bring its own again.
        const again = apply(left, "bob", theirs)
        expect(sorted(filled(again.live))).toEqual(sorted(filled(left.live)))
        const mine = fieldSetOf(specNode, ours).difference(fieldSetOf(specNode, theirs))
        const remains = fieldSetOf(specNode, left.live?.spec ?? {})
        expect([...mine.intersection(remains).leaves()]).toEqual([])
      }),
      runs,
    )
  })

  test("with force always ends with what was stated, owned by who stated it", () => {
    fc.assert(
      fc.property(spec, spec, (theirs, ours) => {
        const state = apply(apply(nothing, "bob", theirs), "ann", ours, true)
        const observed = (state.live?.spec ?? {}) as JsonObject
        expect(diffThreeWay(specNode, { desired: ours, observed })).toEqual([])
        const stated = within(fieldSetOf(node, object(ours)), "f:spec")
        const owned = [...readOwners(state.managed).values()].find((o) => o.entry.manager === "ann")
        expect(stated.difference(owned?.set ?? FieldSet.empty)).toBe(FieldSet.empty)
      }),
      runs,
    )
  })

  test("over any history, owners own only what exists and every change has one owner", () => {
    const step = fc.record({
      kind: fc.constantFrom("apply", "force", "update"),
      manager: fc.constantFrom("ann", "bob", "eve"),
      spec,
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        let state = nothing
        for (const { kind, manager, spec: it } of steps) {
          const before = state.live ?? {}
          if (kind === "update") {
            const who = writer(manager)
            const managed = updateManaged(node, before, object(it), who, state.managed)
            state = { live: object(it), managed }
          } else state = apply(state, manager, it, kind === "force")
          const owners = [...readOwners(state.managed).values()]
          const there = allPaths(state.live)
          for (const { set } of owners) expect([...set.difference(there).paths()]).toEqual([])
          if (kind !== "update" || state.managed.length === 0) continue
          const changed = changedPaths(node, before, state.live ?? {}).intersection(there)
          for (const { entry, set } of owners) {
            const mine = entry.manager === manager && entry.operation === "Update"
            expect(set.intersection(changed).isEmpty).toBe(mine ? changed.isEmpty : true)
          }
        }
      }),
      runs,
    )
  })
})
