import { describe, expect, test } from "vitest"
import type { JsonObject } from "../base/json.ts"
import { FieldSet } from "../object/field-set.ts"
import type { ManagedFieldsEntry } from "../object/object.ts"
import { applyMerge, changedPaths, ownersOf, updateManaged } from "./apply-merge.ts"
import { compileSchema } from "./compile-schema.ts"

const text: JsonObject = { type: "string" }
const { node } = compileSchema({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        color: text,
        size: { type: "integer" },
        args: { type: "array", items: text },
        options: { type: "object", additionalProperties: text },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        tags: { type: "array", items: text, "x-kubernetes-list-type": "set" },
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
              name: text,
              weight: { type: "integer" },
            },
          },
        },
      },
    },
    status: { type: "object", properties: { ready: { type: "boolean" } } },
  },
})

const times = ["2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z", "2024-01-03T00:00:00Z"]
const writer = (manager: string, day = 0) => ({
  manager,
  apiVersion: "test.dev/v1",
  time: times[day] ?? "",
})

const object = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "test.dev/v1",
  kind: "Thing",
  metadata: { name: "one", ...metadata },
  spec,
})

/** A stored object with its owners; every write goes through the functions under test. */
class Stored {
  object: JsonObject | undefined
  managed: readonly ManagedFieldsEntry[] = []

  apply(manager: string, config: JsonObject, { force = false, day = 0 } = {}) {
    const who = { ...writer(manager, day), force }
    const result = applyMerge(node, this.object, config, who, this.managed)
    if (result.conflicts.length > 0) return result.conflicts.map((c) => `${c.manager} ${c.path}`)
    this.object = result.object
    this.managed = result.managedFields
    return []
  }

  update(manager: string, after: JsonObject, day = 0): void {
    this.managed = updateManaged(node, this.object ?? {}, after, writer(manager, day), this.managed)
    this.object = after
  }

  get spec() {
    return this.object?.spec
  }

  fields(manager: string, operation = "Apply") {
    return this.managed.find((m) => m.manager === manager && m.operation === operation)?.fieldsV1
  }
}

describe("apply", () => {
  test("creates the object and owns exactly what it states", () => {
    const stored = new Stored()
    stored.apply("ann", object({ color: "red", ports: [{ port: 80, name: "web" }], tags: ["x"] }))
    expect(stored.spec).toEqual({ color: "red", ports: [{ port: 80, name: "web" }], tags: ["x"] })
    expect(stored.managed).toEqual([
      {
        manager: "ann",
        operation: "Apply",
        apiVersion: "test.dev/v1",
        time: times[0],
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:spec": {
            "f:color": {},
            "f:ports": {
              'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:name": {}, "f:port": {} },
            },
            "f:tags": { 'v:"x"': {} },
          },
        },
      },
    ])
  })

  test("applied again changes nothing, not even a reference or a time", () => {
    const stored = new Stored()
    const config = object({ color: "red", tags: ["a", "b"] }, { labels: { a: "1" } })
    stored.apply("ann", config)
    const [before, managed] = [stored.object, stored.managed]
    stored.apply("ann", structuredClone(config) as JsonObject, { day: 1 })
    expect(stored.object).toBe(before)
    expect(stored.managed).toEqual(managed)
  })

  test("leaves the fields of others alone and merges lists by their marks", () => {
    const stored = new Stored()
    stored.apply("ann", object({ color: "red", tags: ["a"], ports: [{ port: 80, name: "web" }] }))
    stored.apply("bob", object({ size: 1, tags: ["b"], ports: [{ port: 80, weight: 5 }] }))
    expect(stored.spec).toEqual({
      color: "red",
      size: 1,
      tags: ["a", "b"],
      ports: [{ port: 80, name: "web", weight: 5 }],
    })
  })

  test("removes what it states no more, unless another owns it", () => {
    const stored = new Stored()
    stored.apply("ann", object({ color: "red", size: 1, options: { a: "1", b: "2" } }))
    stored.apply("bob", object({ size: 1 }))
    stored.apply("ann", object({ options: { b: "2" } }))
    expect(stored.spec).toEqual({ size: 1, options: { b: "2" } })
    stored.apply("bob", object({}))
    expect(stored.spec).toEqual({ options: { b: "2" } })
  })

  test("leaves what nobody owns beside what it still states", () => {
    const stored = new Stored()
    stored.apply("ann", object({ tags: ["x", "z"], options: { a: "1", b: "2" } }))
    stored.object = object({ tags: ["x", "y", "z"], options: { a: "1", b: "2", c: "default" } })
    stored.apply("ann", object({ tags: ["z"], options: { b: "2" } }))
    expect(stored.spec).toEqual({ tags: ["y", "z"], options: { b: "2", c: "default" } })
  })

  test("never removes identity or what the server wrote", () => {
    const stored = new Stored()
    stored.apply("ann", object({ color: "red" }, { labels: { a: "1" } }))
    const metadata = stored.object?.metadata as JsonObject
    stored.object = {
      ...stored.object,
      metadata: { ...metadata, uid: "u", resourceVersion: "7" },
      status: { ready: true },
    }
    stored.apply("ann", { apiVersion: "test.dev/v1", kind: "Thing", metadata: { name: "one" } })
    expect(stored.object).toEqual({
      apiVersion: "test.dev/v1",
      kind: "Thing",
      metadata: { name: "one", uid: "u", resourceVersion: "7" },
      status: { ready: true },
    })
  })

  test("keeps a list item that another owns a part of, and drops it after the last one", () => {
    const stored = new Stored()
    stored.apply("ann", object({ ports: [{ port: 80, name: "web" }, { port: 81 }] }))
    stored.apply("bob", object({ ports: [{ port: 80, weight: 5 }] }))
    stored.apply("ann", object({ color: "red" }))
    expect(stored.spec).toEqual({ color: "red", ports: [{ port: 80, weight: 5 }] })
    stored.apply("bob", object({}))
    expect(stored.spec).toEqual({ color: "red" })
  })

  test("reports a conflict with its owner and changes nothing", () => {
    const stored = new Stored()
    stored.apply("ann", object({ color: "red", ports: [{ port: 80, name: "web" }] }))
    const [before, managed] = [stored.object, stored.managed]
    expect(
      stored.apply("bob", object({ color: "blue", ports: [{ port: 80, name: "x" }] })),
    ).toEqual(["ann spec.color", 'ann spec.ports[port=80,protocol="TCP"].name'])
    expect([stored.object, stored.managed]).toEqual([before, managed])
  })

  test("shares a field that has the same value", () => {
    const stored = new Stored()
    stored.apply("ann", object({ color: "red" }))
    expect(stored.apply("bob", object({ color: "red" }))).toEqual([])
    expect(stored.managed.map((entry) => entry.manager).sort()).toEqual(["ann", "bob"])
    expect(stored.apply("ann", object({ color: "blue" }))).toEqual(["bob spec.color"])
  })

  test("takes the field over by force, and the other loses it", () => {
    const stored = new Stored()
    stored.apply("ann", object({ color: "red", size: 1 }))
    stored.apply("bob", object({ color: "blue" }), { force: true })
    expect(stored.spec).toEqual({ color: "blue", size: 1 })
    expect(stored.fields("ann")).toEqual({ "f:spec": { "f:size": {} } })
    expect(stored.apply("ann", object({ color: "red", size: 1 }))).toEqual(["bob spec.color"])
  })

  test("finds conflicts in atomic lists as a whole", () => {
    const stored = new Stored()
    stored.apply("ann", object({ args: ["a"] }))
    expect(stored.apply("bob", object({ args: ["a", "b"] }))).toEqual(["ann spec.args"])
  })

  test("keeps the order of configured items and of those that others own", () => {
    const stored = new Stored()
    stored.apply("ann", object({ tags: ["a", "c"] }))
    stored.apply("bob", object({ tags: ["b", "c", "d"] }))
    expect(stored.spec).toEqual({ tags: ["a", "b", "c", "d"] })
  })

  test("attributes what was there before anyone applied", () => {
    const stored = new Stored()
    stored.object = object({ color: "red" })
    expect(stored.apply("ann", object({ color: "blue" }))).toEqual([
      "before-first-apply spec.color",
    ])
  })

  test("ignores server fields and fields that the endpoint can't write", () => {
    const ignore = FieldSet.of([{ field: "status" }])
    const config = { ...object({ color: "red" }, { uid: "x", resourceVersion: "1" }), status: {} }
    const who = { ...writer("ann"), force: false, ignore }
    const { object: made, managedFields } = applyMerge(node, undefined, config, who, [])
    expect(made).toEqual(object({ color: "red" }))
    expect(managedFields[0]?.fieldsV1).toEqual({ "f:spec": { "f:color": {} } })
  })

  test.each<[JsonObject, string]>([
    [{ tags: ["a", "a"] }, "spec.tags[1]: is there twice"],
    [{ ports: [{ port: 1 }, { port: 1, protocol: "TCP" }] }, "spec.ports[1]: is there twice"],
    [{ ports: [{ name: "x" }] }, "spec.ports[0]: needs port and protocol"],
  ])("refuses a configuration whose items can't be told apart", (spec, cause) => {
    const stored = new Stored()
    expect(() => stored.apply("ann", object(spec))).toThrow(
      expect.objectContaining({ code: "SPT-SCHEMA-002", message: expect.stringContaining(cause) }),
    )
  })

  test("refuses a configuration that is nested without end", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`) as JsonObject
    const config = object({ free: deep })
    expect(() => new Stored().apply("ann", config)).toThrow(
      expect.objectContaining({ code: "SPT-SCHEMA-002" }),
    )
    expect(updateManaged(node, {}, config, writer("ann"), [])).toHaveLength(1)
  })

  test("tolerates repeated items in the live object", () => {
    const stored = new Stored()
    stored.update("old", object({ tags: ["a", "a", "b"] }))
    stored.apply("ann", object({ tags: ["c"] }))
    expect(stored.spec).toEqual({ tags: ["a", "a", "b", "c"] })
  })

  test("an applier keeps its entry when it moves to another version", () => {
    const stored = new Stored()
    stored.apply("ann", object({ color: "red", size: 1 }))
    const who = { ...writer("ann", 1), apiVersion: "test.dev/v2", force: false }
    const config = object({ color: "red" })
    const next = applyMerge(node, stored.object, config, who, stored.managed)
    expect(next.object.spec).toEqual({ color: "red" })
    expect(next.managedFields).toMatchObject([{ manager: "ann", apiVersion: "test.dev/v2" }])
  })
})

describe("other writes", () => {
  test("a create owns everything it brings, containers too", () => {
    const stored = new Stored()
    stored.update("kubectl", object({ options: { a: "1" } }, { labels: { x: "y" } }))
    expect(stored.fields("kubectl", "Update")).toEqual({
      "f:metadata": { "f:labels": { ".": {}, "f:x": {} } },
      "f:spec": { ".": {}, "f:options": { ".": {}, "f:a": {} } },
    })
  })

  test("a change takes the field from everyone, a removal from all", () => {
    const stored = new Stored()
    stored.apply("ann", object({ color: "red", size: 1, tags: ["a"] }))
    stored.update("bob", object({ color: "blue", size: 1 }), 1)
    expect(stored.fields("ann")).toEqual({ "f:spec": { "f:size": {} } })
    expect(stored.fields("bob", "Update")).toEqual({ "f:spec": { "f:color": {} } })
  })

  test("a write without effect changes no record", () => {
    const stored = new Stored()
    stored.apply("ann", object({ color: "red" }))
    const managed = stored.managed
    stored.update("bob", object({ color: "red" }, { resourceVersion: "9" }), 2)
    expect(stored.managed).toBe(managed)
  })

  test("cleared records stay cleared until somebody applies", () => {
    const before = object({ color: "red" })
    expect(updateManaged(node, before, object({ color: "blue" }), writer("bob"), [])).toEqual([])
  })

  test("no more than ten updaters are kept; the oldest become ancient-changes", () => {
    const stored = new Stored()
    stored.update("first", object({ options: {} }))
    for (let turn = 0; turn < 15; turn++) {
      const options = Object.fromEntries(Array.from({ length: turn + 1 }, (_, i) => [`k${i}`, "v"]))
      const time = `2024-02-${10 + turn}T00:00:00Z`
      const after = object({ options })
      const who = { ...writer(`m${turn}`), time }
      stored.managed = updateManaged(node, stored.object ?? {}, after, who, stored.managed)
      stored.object = after
    }
    expect(stored.managed).toHaveLength(10)
    expect(stored.managed[0]?.manager).toBe("ancient-changes")
    const changed = changedPaths(node, {}, stored.object ?? {})
    const owned = ownersOf(stored.managed, changed).map(({ path }) => path)
    for (let turn = 0; turn < 15; turn++) expect(owned).toContain(`spec.options.k${turn}`)
  })

  test("shows which paths changed and who owns them", () => {
    const stored = new Stored()
    stored.apply("setpoint-source/edge", object({ color: "red", free: { deep: { a: 1 } } }))
    const after = object({ color: "blue", size: 2, free: { deep: { a: 1, b: 2 } } })
    const changed = changedPaths(node, stored.object ?? {}, after)
    expect(changed.toFieldsV1()).toEqual({
      "f:spec": { "f:color": {}, "f:size": {}, "f:free": { "f:deep": { "f:b": {} } } },
    })
    expect(ownersOf(stored.managed, changed)).toEqual([
      { manager: "setpoint-source/edge", operation: "Apply", path: "spec.color" },
    ])
  })
})

describe("records written under an older schema", () => {
  const named = (name: string, fields: JsonObject): ManagedFieldsEntry => ({
    ...writer(name),
    operation: "Apply",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": fields },
  })

  test("own a list as a whole once it has become atomic", () => {
    const stored = new Stored()
    stored.object = object({ args: ["a"] })
    stored.managed = [named("ann", { "f:args": { 'v:"a"': {} } })]
    expect(stored.apply("bob", object({ args: ["b"] }))).toEqual(["ann spec.args"])
    expect(stored.apply("ann", object({ args: ["b"] }))).toEqual([])
    expect(stored.fields("ann")).toEqual({ "f:spec": { "f:args": {} } })
  })

  test("are put right by the next write, whatever it changes", () => {
    const managed = [named("ann", { "f:args": { 'v:"a"': {} } })]
    const same = object({ args: ["a"] })
    const after = updateManaged(node, same, same, writer("bob"), managed)
    expect(after).toEqual([named("ann", { "f:args": {} })])
  })

  test("still show the owner to whoever asks by path", () => {
    const managed = [named("ann", { "f:args": { 'v:"a"': {} } })]
    const changed = changedPaths(node, object({ args: ["a"] }), object({ args: ["b"] }))
    expect(ownersOf(managed, changed)).toEqual([
      { manager: "ann", operation: "Apply", path: "spec.args" },
    ])
  })
})
