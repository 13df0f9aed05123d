import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  definitionOf,
  definitions,
  faultOf,
  note,
  notes,
  openApiWorld,
  thing,
  things,
} from "../../test/conformance/client-world.ts"
import { authenticatedGroup, enginePrincipal, sourcePrincipal } from "../contract/principal.ts"
import { loopLabel, sourceAnnotation, targetFinalizer } from "../object/object.ts"

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
})
afterEach(() => world.close())

const ref = (name: string) => ({ ...things, namespace: "default", name })

describe("create", () => {
  it("gives uid, time, generation 1, defaults, loop label and finalizer", async () => {
    const { object, created } = await world.verbs.create(alice, things, thing("a"))
    expect(created).toBe(true)
    expect(object.metadata).toMatchObject({
      generation: 1,
      labels: { [loopLabel]: "default.default" },
      finalizers: [targetFinalizer],
    })
    expect(object.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
    expect(object.spec).toEqual({ size: 1 })
    expect(await world.verbs.get(alice, ref("a"))).toEqual(object)
  })

  it("labels what a source makes with the source's loop", async () => {
    const source = sourcePrincipal("default.site")
    const options = { fieldManager: source.name }
    const { object } = await world.verbs.apply(source, things, thing("a"), options)
    expect(object.metadata.labels?.[loopLabel]).toBe("default.site")
  })

  it("leaves kinds without a provider alone", async () => {
    const { object } = await world.verbs.create(alice, notes, note("a"))
    expect(object.metadata.labels).toBeUndefined()
    expect(object.metadata.finalizers).toBeUndefined()
  })

  it("makes names from generateName and refuses a taken name", async () => {
    const { name: _, ...metadata } = { ...thing("a").metadata, generateName: "a-" }
    const nameless = { ...thing("a"), metadata: { ...metadata, name: "" } }
    const first = await world.verbs.create(alice, things, nameless)
    expect(first.object.metadata.name).toMatch(/^a-[a-z0-9]{5}$/)
    await world.verbs.create(alice, things, thing("b"))
    const fault = await faultOf(world.verbs.create(alice, things, thing("b")))
    expect(fault).toMatchObject({ status: 409, reason: "AlreadyExists" })
  })

  it("refuses a missing namespace, a bad name and a wrong kind", async () => {
    const lost = { ...thing("a"), metadata: { name: "a", namespace: "nowhere" } }
    expect(await faultOf(world.verbs.create(alice, things, lost))).toMatchObject({ status: 404 })
    const bad = await faultOf(world.verbs.create(alice, things, thing("A_b")))
    expect(bad).toMatchObject({ status: 422 })
    expect(JSON.parse(bad.details.causes ?? "")[0].field).toBe("metadata.name")
    expect(await faultOf(world.verbs.create(alice, things, note("a")))).toMatchObject({
      status: 400,
    })
  })

  it("names the field that breaks the schema", async () => {
    const fault = await faultOf(world.verbs.create(alice, things, thing("a", { size: 500 })))
    expect(fault).toMatchObject({ status: 422, reason: "Invalid" })
    expect(JSON.parse(fault.details.causes ?? "")).toEqual([
      expect.objectContaining({ field: "spec.size", reason: "FieldValueInvalid" }),
    ])
  })

  it("drops unknown fields with a warning, or refuses them when strict", async () => {
    const odd = thing("a", { zzz: 1 })
    const { object, warnings } = await world.verbs.create(alice, things, odd)
    expect(object.spec).toEqual({ size: 1 })
    expect(warnings).toEqual(['unknown field "spec.zzz"'])
    const strict = { fieldValidation: "Strict" } as const
    const fault = await faultOf(world.verbs.create(alice, things, thing("b", { zzz: 1 }), strict))
    expect(fault).toMatchObject({ status: 400 })
    expect(fault.message).toContain('unknown field "spec.zzz"')
  })

  it("refuses keys that reach a prototype and objects above 1 MiB", async () => {
    const hostile = JSON.parse('{"__proto__": {"a": "b"}}')
    expect(await faultOf(world.verbs.create(alice, things, thing("a", hostile)))).toMatchObject({
      status: 400,
    })
    const huge = thing("a", { color: "x".repeat(1024 * 1024) })
    expect(await faultOf(world.verbs.create(alice, things, huge))).toMatchObject({
      status: 413,
    })
  })

  it("stores nothing in a dry run", async () => {
    const before = world.store.revision
    const { object } = await world.verbs.create(alice, things, thing("a"), { dryRun: true })
    expect(object.spec).toEqual({ size: 1 })
    expect(world.store.revision).toBe(before)
    expect(await world.verbs.get(alice, ref("a"))).toBeUndefined()
  })

  it("serves a definition made a moment ago", async () => {
    await world.verbs.create(alice, definitions, definitionOf("Gadget"))
    const gadgets = { ...things, resource: "gadgets" }
    const gadget = { ...thing("a"), kind: "Gadget" }
    await world.verbs.create(alice, gadgets, gadget)
    expect((await world.verbs.list(alice, gadgets)).items).toHaveLength(1)
    expect(world.registry.lookup("GADGET")[0]?.resource).toBe("gadgets")
  })
})

describe("update", () => {
  it("bumps the generation for a change of spec and not for labels", async () => {
    const { object } = await world.verbs.create(alice, things, thing("a"))
    const wider = { ...object, spec: { size: 2 } }
    const second = await world.verbs.update(alice, things, wider)
    expect(second.object.metadata.generation).toBe(2)
    const labels = { ...second.object.metadata.labels, tier: "x" }
    const metadata = { ...second.object.metadata, labels }
    const third = await world.verbs.update(alice, things, { ...second.object, metadata })
    expect(third.object.metadata.generation).toBe(2)
    expect(third.object.metadata.labels?.tier).toBe("x")
  })

  it("refuses a stale resourceVersion, and none at all", async () => {
    const { object } = await world.verbs.create(alice, things, thing("a"))
    await world.verbs.update(alice, things, { ...object, spec: { size: 2 } })
    const stale = await faultOf(world.verbs.update(alice, things, { ...object, spec: { size: 3 } }))
    expect(stale).toMatchObject({ status: 409, reason: "Conflict" })
    const blind = await faultOf(world.verbs.update(alice, things, thing("a", { size: 3 })))
    expect(blind).toMatchObject({ status: 422 })
  })

  it("writes nothing when nothing changed", async () => {
    const { object } = await world.verbs.create(alice, things, thing("a"))
    const before = world.store.revision
    const again = await world.verbs.update(alice, things, object)
    expect(again).toMatchObject({ changed: false, object })
    await world.verbs.patch(alice, ref("a"), "merge", { spec: { size: 1 } })
    await world.verbs.updateStatus(enginePrincipal, things, object)
    expect(world.store.revision).toBe(before)
  })

  it("keeps spec and status apart", async () => {
    const { object } = await world.verbs.create(alice, things, {
      ...thing("a"),
      status: { phase: "Made up" },
    })
    expect(object.status).toBeUndefined()
    const both = { ...object, spec: { size: 9 }, status: { phase: "Fine" } }
    const reported = await world.verbs.updateStatus(enginePrincipal, things, both)
    expect(reported.object).toMatchObject({ spec: { size: 1 }, status: { phase: "Fine" } })
    expect(reported.object.metadata.generation).toBe(1)
    const replaced = await world.verbs.update(alice, things, {
      ...reported.object,
      spec: { size: 2 },
      status: { phase: "Lie" },
    })
    expect(replaced.object).toMatchObject({ spec: { size: 2 }, status: { phase: "Fine" } })
  })

  it("keeps loop label and finalizer, and refuses another loop", async () => {
    const { object } = await world.verbs.create(alice, things, thing("a"))
    const bare = thing("a", { size: 2 })
    const { resourceVersion = "" } = object.metadata
    const replaced = await world.verbs.update(alice, things, {
      ...bare,
      metadata: { ...bare.metadata, resourceVersion },
    })
    expect(replaced.object.metadata.labels?.[loopLabel]).toBe("default.default")
    expect(replaced.object.metadata.finalizers).toEqual([targetFinalizer])
    expect(replaced.warnings.join()).toContain(targetFinalizer)
    const patch = { metadata: { labels: { [loopLabel]: "default.other" } } }
    const fault = await faultOf(world.verbs.patch(alice, ref("a"), "merge", patch))
    expect(fault).toMatchObject({ status: 403 })
    expect(fault.hint).toContain("setpoint move")
    const moved = await world.verbs.patch(enginePrincipal, ref("a"), "merge", patch)
    expect(moved.object.metadata.labels?.[loopLabel]).toBe("default.other")
  })
})

describe("patch", () => {
  it("applies merge and JSON patches", async () => {
    await world.verbs.create(alice, things, thing("a", { color: "red", more: { a: "1", b: "2" } }))
    const patch = { spec: { color: null, more: { a: "9" } } }
    const merged = await world.verbs.patch(alice, ref("a"), "merge", patch)
    expect(merged.object.spec).toEqual({ size: 1, more: { a: "9", b: "2" } })
    const operations = [
      { op: "test", path: "/spec/more/a", value: "9" },
      { op: "move", from: "/spec/more/b", path: "/spec/color" },
      { op: "replace", path: "/spec/size", value: 7 },
    ]
    const moved = await world.verbs.patch(alice, ref("a"), "json", operations)
    expect(moved.object.spec).toEqual({ size: 7, color: "2", more: { a: "9" } })
  })

  it("answers 422 when an operation can't be applied", async () => {
    await world.verbs.create(alice, things, thing("a"))
    for (const operation of [
      { op: "test", path: "/spec/size", value: 2 },
      { op: "remove", path: "/spec/none" },
      { op: "add", path: "/spec/none/deep", value: 1 },
      { op: "add", path: "/spec/__proto__/a", value: 1 },
    ]) {
      const fault = await faultOf(world.verbs.patch(alice, ref("a"), "json", [operation]))
      expect(fault.status).toBe(422)
    }
  })

  it("lets many patches of different fields all succeed", async () => {
    await world.verbs.create(alice, things, thing("a"))
    const keys = ["a", "b", "c", "d"]
    await Promise.all(
      keys.map((key) =>
        world.verbs.patch(alice, ref("a"), "merge", { spec: { more: { [key]: key } } }),
      ),
    )
    const object = await world.verbs.get(alice, ref("a"))
    expect(object?.spec?.more).toEqual({ a: "a", b: "b", c: "c", d: "d" })
  })
})

describe("apply", () => {
  const kim = { fieldManager: "kim" }
  const lee = { fieldManager: "lee" }

  it("removes what its manager no longer states and keeps what others own", async () => {
    await world.verbs.apply(alice, things, thing("a", { color: "red", more: { x: "1" } }), kim)
    await world.verbs.apply(alice, things, thing("a", { more: { y: "2" } }), lee)
    const { object } = await world.verbs.apply(alice, things, thing("a", { color: "red" }), kim)
    expect(object.spec).toEqual({ size: 1, color: "red", more: { y: "2" } })
  })

  it("refuses a conflict, names it, and takes the field over by force", async () => {
    await world.verbs.apply(alice, things, thing("a", { color: "red" }), kim)
    const blue = thing("a", { color: "blue" })
    const fault = await faultOf(world.verbs.apply(alice, things, blue, lee))
    expect(fault).toMatchObject({ status: 409, reason: "Conflict" })
    expect(JSON.parse(fault.details.causes ?? "")[0]).toMatchObject({
      field: ".spec.color",
      reason: "FieldManagerConflict",
    })
    const taken = await world.verbs.apply(alice, things, blue, { ...lee, force: true })
    expect(taken.object.spec?.color).toBe("blue")
  })

  it("writes nothing the second time", async () => {
    await world.verbs.apply(alice, things, thing("a", { color: "red" }), kim)
    const before = world.store.revision
    const again = await world.verbs.apply(alice, things, thing("a", { color: "red" }), kim)
    expect(again.changed).toBe(false)
    expect(world.store.revision).toBe(before)
  })

  it("refuses unknown fields unless told otherwise", async () => {
    const fault = await faultOf(world.verbs.apply(alice, things, thing("a", { zzz: 1 }), kim))
    expect(fault).toMatchObject({ status: 400 })
  })
})

describe("a source's fields", () => {
  const source = sourcePrincipal("default.site")
  const asSource = { fieldManager: source.name }
  const declared = {
    ...thing("a", { color: "red" }),
    metadata: {
      ...thing("a").metadata,
      annotations: { [sourceAnnotation]: "site/a.yaml:3" },
    },
  }

  beforeEach(async () => {
    await world.verbs.apply(source, things, declared, asSource)
  })

  it("can't be changed by anyone else, by patch, update, apply or force", async () => {
    const blue = thing("a", { color: "blue" })
    const live = await world.verbs.get(alice, ref("a"))
    const tries = [
      () => world.verbs.patch(alice, ref("a"), "merge", { spec: { color: "blue" } }),
      () => world.verbs.patch(alice, ref("a"), "merge", { spec: { color: null } }),
      () => world.verbs.update(alice, things, { ...(live ?? blue), spec: { color: "blue" } }),
      () => world.verbs.apply(alice, things, blue, { fieldManager: "kim" }),
      () => world.verbs.apply(alice, things, blue, { fieldManager: "kim", force: true }),
    ]
    for (const attempt of tries) {
      const fault = await faultOf(attempt())
      expect(fault).toMatchObject({ code: "SPT-API-016", status: 409, reason: "Conflict" })
      expect(fault.message).toContain("site/a.yaml:3")
      expect(fault.hint).toMatch(/change it there.*setpoint stop LOOP/)
    }
  })

  it("accepts an equal value and changes elsewhere", async () => {
    const patch = { spec: { color: "red", more: { mine: "1" } } }
    const { object } = await world.verbs.patch(alice, ref("a"), "merge", patch)
    expect(object.spec).toMatchObject({ color: "red", more: { mine: "1" } })
  })

  it("stay owned when somebody clears managedFields", async () => {
    await world.verbs.patch(alice, ref("a"), "merge", { metadata: { managedFields: [] } })
    const patch = { spec: { color: "blue" } }
    expect(await faultOf(world.verbs.patch(alice, ref("a"), "merge", patch))).toMatchObject({
      code: "SPT-API-016",
    })
  })

  it("can't be claimed by borrowing the source's manager name", async () => {
    const fault = await faultOf(world.verbs.apply(alice, things, thing("a"), asSource))
    expect(fault).toMatchObject({ status: 400 })
  })

  it("keep the object from being deleted by anyone but the source or the engine", async () => {
    const fault = await faultOf(world.verbs.delete(alice, ref("a")))
    expect(fault).toMatchObject({ code: "SPT-API-016", status: 409 })
    expect(world.judged).toHaveLength(0)
    await world.verbs.delete(source, ref("a"))
    expect((await world.verbs.get(alice, ref("a")))?.metadata.deletionTimestamp).toBeDefined()
  })
})

describe("the status of a kind without a provider", () => {
  it("is not written over blindly by anybody from outside", async () => {
    const { object } = await world.verbs.create(alice, notes, note("a"))
    const { resourceVersion: _, ...blind } = object.metadata
    const outside = { ...alice, groups: [authenticatedGroup, "system:masters"] }
    const status = { phase: "Up" }
    const write = (metadata: typeof object.metadata) =>
      world.verbs.updateStatus(outside, notes, { ...object, metadata, status })
    expect(await faultOf(write(blind))).toMatchObject({ status: 422, reason: "Invalid" })
    expect((await write(object.metadata)).object.status).toEqual(status)
  })
})
