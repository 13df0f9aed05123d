import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  configMap,
  configMaps,
  faultOf,
  note,
  notes,
  openApiWorld,
} from "../../test/conformance/client-world.ts"
import type { JsonObject } from "../base/json.ts"
import type { ApiObject, ManagedFieldsEntry } from "../object/object.ts"
import { lastAppliedAnnotation } from "../schema/last-applied.ts"

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
})
afterEach(() => world.close())

const apply = (object: ApiObject, fieldManager: string, more: object = {}) =>
  world.verbs.apply(alice, notes, object, { fieldManager, ...more })
const ref = { ...notes, namespace: "default", name: "a" }

const ownersOf = (object: ApiObject) =>
  Object.fromEntries(
    (object.metadata.managedFields ?? []).map((entry) => [
      [entry.manager, entry.operation, ...(entry.subresource ? [entry.subresource] : [])].join(" "),
      entry.fieldsV1,
    ]),
  )

describe("apply", () => {
  it("tells of one conflict as Kubernetes does, and of several by manager", async () => {
    await apply(note("a", { color: "red", size: 2 }), "one")
    const single = await faultOf(apply(note("a", { color: "blue" }), "two"))
    expect(single).toMatchObject({ status: 409, reason: "Conflict" })
    expect(single.message).toBe('Apply failed with 1 conflict: conflict with "one": .spec.color')
    const causes: unknown = JSON.parse(single.details.causes ?? "")
    expect(causes).toEqual([
      { reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".spec.color" },
    ])
    await world.verbs.patch(alice, ref, "merge", { spec: { size: 3 } }, { fieldManager: "hand" })
    const many = await faultOf(apply(note("a", { color: "blue", size: 4 }), "two"))
    expect(many.message.replaceAll(/ at [-0-9TZ:]+Z/g, "")).toBe(
      "Apply failed with 2 conflicts: " +
        'conflicts with "hand" using test.dev/v1:\n- .spec.size\n' +
        'conflicts with "one":\n- .spec.color',
    )
  })

  it("leaves defaults to nobody, and gives them to whoever creates", async () => {
    const applied = await apply(note("a", { color: "red" }), "one")
    expect(applied.object.spec).toEqual({ color: "red", size: 1 })
    expect(ownersOf(applied.object)).toEqual({ "one Apply": { "f:spec": { "f:color": {} } } })
    const created = await world.verbs.create(alice, notes, note("b", {}), { fieldManager: "two" })
    expect(ownersOf(created.object)).toEqual({
      "two Update": { "f:spec": { ".": {}, "f:size": {} } },
    })
  })

  it("to the status owns and changes the status alone, and needs the object", async () => {
    const status = { fieldManager: "one", subresource: "status" } as const
    const wanted = { ...note("a", { color: "blue" }), status: { phase: "Up" } }
    const missing = await faultOf(world.verbs.apply(alice, notes, wanted, status))
    expect(missing.status).toBe(404)
    await apply(note("a", { color: "red" }), "one")
    const { object } = await world.verbs.apply(alice, notes, wanted, status)
    expect(object).toMatchObject({ spec: { color: "red" }, status: { phase: "Up" } })
    expect(ownersOf(object)).toEqual({
      "one Apply": { "f:spec": { "f:color": {} } },
      "one Apply status": { "f:status": { "f:phase": {} } },
    })
    expect((await apply({ ...wanted, spec: { color: "red" } }, "one")).changed).toBe(false)
  })

  it("is refused without a manager, with managedFields, or for another object", async () => {
    const nameless = await faultOf(apply(note("a"), ""))
    expect(nameless).toMatchObject({ status: 422, reason: "Invalid" })
    expect(nameless.message).toContain("fieldManager: Required value: is required for apply patch")
    const owned = { ...note("a"), metadata: { ...note("a").metadata, managedFields: [] } }
    const fault = await faultOf(apply(owned, "one"))
    expect(fault).toMatchObject({ status: 400, reason: "BadRequest" })
    expect(fault.message).toContain("metadata.managedFields must be nil")
    const wrong = await faultOf(apply({ ...note("a"), kind: "Other" }, "one"))
    expect(wrong).toMatchObject({ status: 400, reason: "BadRequest" })
    const uid = "11111111-1111-1111-1111-111111111111"
    const other = { ...note("a"), metadata: { ...note("a").metadata, uid } }
    expect(await faultOf(apply(other, "one"))).toMatchObject({ status: 409, reason: "Conflict" })
  })

  it("stores nothing when nothing differs, or for a trial", async () => {
    const first = await apply(note("a", { color: "red" }), "one")
    const again = await apply(note("a", { color: "red" }), "one")
    expect(again).toMatchObject({ changed: false, object: first.object })
    const trial = await apply(note("a", { color: "blue" }), "one", { dryRun: true })
    expect(trial.object.spec).toMatchObject({ color: "blue" })
    expect(await world.verbs.get(alice, ref)).toEqual(first.object)
  })
})

describe("a move from client-side to server-side apply", () => {
  const stated = (color: string) => note("a", { color })
  const annotated = (color: string): ApiObject => {
    const annotations = { [lastAppliedAnnotation]: JSON.stringify(stated(color)) }
    return { ...stated(color), metadata: { ...stated(color).metadata, annotations } }
  }
  const clientSide = { fieldManager: "kubectl-client-side-apply" }

  it("takes over what the annotation states, and keeps it in step", async () => {
    await world.verbs.create(alice, notes, annotated("red"), clientSide)
    expect((await faultOf(apply(stated("blue"), "other"))).status).toBe(409)
    const { object } = await apply(stated("blue"), "kubectl")
    const kept = JSON.parse(
      object.metadata.annotations?.[lastAppliedAnnotation] ?? "",
    ) as JsonObject
    expect(kept.spec).toEqual({ color: "blue" })
    expect(ownersOf(object)["kubectl Apply"]).toEqual({ "f:spec": { "f:color": {} } })
  })

  it("does not take over what somebody else changed since", async () => {
    await world.verbs.create(alice, notes, annotated("red"), clientSide)
    await world.verbs.patch(
      alice,
      ref,
      "merge",
      { spec: { color: "green" } },
      { fieldManager: "x" },
    )
    const fault = await faultOf(apply(stated("blue"), "kubectl"))
    expect(fault.message).toContain('conflict with "x" using test.dev/v1')
  })

  it("works by a JSON patch of the records with a test of the version", async () => {
    await world.verbs.create(alice, notes, annotated("red"), clientSide)
    const { object } = await apply(stated("red"), "kubectl")
    const entries: ManagedFieldsEntry[] = (object.metadata.managedFields ?? [])
      .filter(({ operation }) => operation === "Apply")
      .map((entry) => ({ ...entry, fieldsV1: { "f:spec": { "f:color": {}, "f:size": {} } } }))
    const patch = (version: string) => [
      { op: "replace", path: "/metadata/managedFields", value: entries as object as JsonObject[] },
      { op: "replace", path: "/metadata/resourceVersion", value: version },
    ]
    const migrate = (version: string) =>
      world.verbs.patch(alice, ref, "json", patch(version), { fieldManager: "kubectl" })
    expect(await faultOf(migrate("1"))).toMatchObject({ status: 409, reason: "Conflict" })
    const moved = await migrate(object.metadata.resourceVersion ?? "")
    expect(ownersOf(moved.object)).toEqual({ "kubectl Apply": entries[0]?.fieldsV1 })
  })
})

describe("managedFields", () => {
  it("are cleared by one empty entry, and stand when they can't be read", async () => {
    const write = (managedFields: readonly object[]) =>
      world.verbs.patch(
        alice,
        ref,
        "merge",
        { metadata: { managedFields: managedFields as readonly JsonObject[] } },
        { fieldManager: "hand" },
      )
    await apply(note("a", { color: "red" }), "one")
    const before = (await world.verbs.get(alice, ref))?.metadata.managedFields
    const bad = { manager: "x", operation: "Take", apiVersion: "v1", fieldsType: "FieldsV1" }
    expect((await write([{ ...bad, fieldsV1: {} }])).object.metadata.managedFields).toEqual(before)
    expect((await write([])).object.metadata.managedFields).toEqual(before)
    expect((await write([{}])).object.metadata.managedFields).toBeUndefined()
    const { object } = await apply(note("a", { size: 1 }), "one")
    expect(Object.keys(ownersOf(object)).sort()).toEqual(["before-first-apply Update", "one Apply"])
  })

  it("own no more than ten updaters: the oldest become one", async () => {
    await world.verbs.create(alice, configMaps, configMap("a", { start: "0" }))
    const target = { ...configMaps, namespace: "default", name: "a" }
    for (let n = 0; n < 12; n++) {
      const patch = { data: { [`k${n}`]: "x" } }
      await world.verbs.patch(alice, target, "merge", patch, { fieldManager: `m${n}` })
    }
    const entries = (await world.verbs.get(alice, target))?.metadata.managedFields ?? []
    expect(entries).toHaveLength(10)
    expect(entries.map(({ manager }) => manager)).toContain("ancient-changes")
  })
})
