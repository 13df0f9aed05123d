import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import {
  type ApiWorld,
  alice,
  configMap,
  configMaps,
  definitionOf,
  definitions,
  faultOf,
  loops,
  namespaceNamed,
  namespaces,
  note,
  notes,
  openApiWorld,
  plans,
  thing,
  things,
} from "../../test/conformance/client-world.ts"
import { enginePrincipal } from "../contract/principal.ts"
import { type ApiObject, targetFinalizer } from "../object/object.ts"

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
})
afterEach(() => world.close())

const ref = (name: string) => ({ ...things, namespace: "default", name })
const make = async (object: ApiObject, resource = things) =>
  (await world.verbs.create(alice, resource, object)).object

const owned = (object: ApiObject, owner: ApiObject): ApiObject => {
  const { apiVersion, kind } = owner
  const { name, uid = "" } = owner.metadata
  const ownerReferences = [{ apiVersion, kind, name, uid }]
  return { ...object, metadata: { ...object.metadata, ownerReferences } }
}

describe("delete by name", () => {
  it("marks what has a target; a second delete changes nothing", async () => {
    await make(thing("a"))
    const first = await world.verbs.delete(alice, ref("a"))
    expect(first.gone).toBe(false)
    expect(first.object.metadata).toMatchObject({ generation: 2, finalizers: [targetFinalizer] })
    expect(first.object.metadata.deletionTimestamp).toBeDefined()
    const before = world.store.revision
    const second = await world.verbs.delete(alice, ref("a"))
    expect(second.object).toEqual(first.object)
    expect(world.store.revision).toBe(before)
    expect(world.judged.map(({ origin }) => origin)).toEqual(["name"])
  })

  it("removes the object when the engine takes the last finalizer", async () => {
    await make(thing("a"))
    await world.verbs.delete(alice, ref("a"))
    const patch = { metadata: { finalizers: null } }
    await world.verbs.patch(enginePrincipal, ref("a"), "merge", patch)
    expect(await world.verbs.get(alice, ref("a"))).toBeUndefined()
  })

  it("refuses new finalizers on a marked object", async () => {
    await make(thing("a"))
    await world.verbs.delete(alice, ref("a"))
    const patch = { metadata: { finalizers: [targetFinalizer, "test.dev/late"] } }
    expect(await faultOf(world.verbs.patch(alice, ref("a"), "merge", patch))).toMatchObject({
      status: 422,
    })
  })

  it("removes what nothing waits for, at once and unjudged", async () => {
    await make(note("a"), notes)
    const { gone } = await world.verbs.delete(alice, { ...notes, namespace: "default", name: "a" })
    expect(gone).toBe(true)
    expect(world.judged).toEqual([])
    expect((await world.verbs.list(alice, notes)).items).toEqual([])
  })

  it("honours preconditions and says when there is nothing", async () => {
    const { metadata } = await make(thing("a"))
    const wrong = world.verbs.delete(alice, ref("a"), { uid: "other" })
    expect(await faultOf(wrong)).toMatchObject({ status: 409 })
    const stale = world.verbs.delete(alice, ref("a"), { resourceVersion: "1" })
    expect(await faultOf(stale)).toMatchObject({ status: 409 })
    const { uid = "", resourceVersion = "" } = metadata
    await world.verbs.delete(alice, ref("a"), { uid, resourceVersion })
    expect(await faultOf(world.verbs.delete(alice, ref("none")))).toMatchObject({ status: 404 })
  })

  it("marks nothing in a dry run, but judges it", async () => {
    await make(thing("a"))
    const before = world.store.revision
    await world.verbs.delete(alice, ref("a"), { dryRun: true })
    expect(world.store.revision).toBe(before)
    expect(world.judged).toMatchObject([{ dryRun: true }])
  })
})

describe("a judged delete", () => {
  it("that is held marks nothing and names its plan", async () => {
    for (const name of ["a", "b", "c"]) await make(thing(name))
    world.judgeWith(() => ({
      kind: "held",
      plan: "plan-7",
      reasons: [{ guard: "limits", code: "DeleteLimit", message: "3 of 3 things" }],
    }))
    const before = world.store.revision
    const fault = await faultOf(world.verbs.deleteCollection(alice, things))
    expect(fault).toMatchObject({
      status: 403,
      reason: "Forbidden",
      details: { plan: "plan-7" },
    })
    expect(fault.message).toContain("plan-7")
    expect(fault.message).toContain("3 of 3 things")
    expect(fault.hint).toContain("setpoint approve plan-7")
    expect(world.store.revision).toBe(before)
    expect(world.judged[0]).toMatchObject({ origin: "collection" })
    expect(world.judged[0]?.candidates).toHaveLength(3)
  })

  it("that is denied marks nothing and says why", async () => {
    await make(thing("a"))
    world.judgeWith(() => ({
      kind: "denied",
      reasons: [{ guard: "stop", code: "Stopped", message: "deletes are stopped" }],
    }))
    const fault = await faultOf(world.verbs.delete(alice, ref("a")))
    expect(fault).toMatchObject({ status: 403 })
    expect(fault.message).toContain("deletes are stopped")
  })

  it("reserves its budget in the commit that marks it", async () => {
    await make(thing("a"))
    const value = Buffer.from("1")
    world.judgeWith(() => ({
      kind: "allowed",
      reserve: {
        checks: [{ key: "/ledger/budget", modRevision: 0 }],
        writes: [{ kind: "put", key: "/ledger/budget", value }],
      },
    }))
    const commits = vi.spyOn(world.store, "commit")
    const { object } = await world.verbs.delete(alice, ref("a"))
    expect(commits).toHaveBeenCalledOnce()
    // Whoever reads at a revision in between sees a permission without its mark, not the reverse.
    const entry = await world.store.get("/ledger/budget")
    expect(entry).toMatchObject({ modRevision: Number(object.metadata.resourceVersion) - 1 })
  })

  it("is judged again when its reservation was overtaken", async () => {
    await make(thing("a"))
    let calls = 0
    world.judgeWith(() => ({
      kind: "allowed",
      reserve: {
        checks: [{ key: "/ledger/budget", modRevision: calls++ < 2 ? 99 : 0 }],
        writes: [],
      },
    }))
    await world.verbs.delete(alice, ref("a"))
    expect(calls).toBe(3)
  })

  it("is not asked again for what is already marked", async () => {
    for (const name of ["a", "b"]) await make(thing(name))
    await world.verbs.delete(alice, ref("a"))
    await world.verbs.deleteCollection(alice, things)
    const asked = world.judged.map(({ candidates }) => candidates.map(({ key }) => key.name))
    expect(asked).toEqual([["a"], ["b"]])
  })

  it("is not asked of the engine, which deletes exactly what it names", async () => {
    const parent = await make(note("parent"), notes)
    await make(owned(thing("child"), parent))
    const parentRef = { ...notes, namespace: "default", name: "parent" }
    await world.verbs.delete(enginePrincipal, parentRef)
    expect(world.judged).toEqual([])
    expect((await world.verbs.get(alice, ref("child")))?.metadata.deletionTimestamp).toBe(undefined)
  })

  it("covers a set that a source prunes as one request", async () => {
    for (const name of ["a", "b"]) await make(thing(name))
    const keys = ["a", "b", "gone"].map((name) => ({ ...ref(name), version: undefined }))
    const deleted = await world.verbs.deleteSet(
      alice,
      keys.map(({ group, resource, namespace, name }) => ({ group, resource, namespace, name })),
      { origin: "prune", sourceRevision: "r1" },
    )
    expect(deleted).toHaveLength(2)
    expect(world.judged).toMatchObject([{ origin: "prune", sourceRevision: "r1" }])
  })
})

describe("dependents", () => {
  it("are judged and marked together with their owner", async () => {
    const parent = await make(note("parent"), notes)
    const child = await make(owned(thing("child"), parent))
    await make(owned(thing("grandchild"), child))
    await world.verbs.delete(alice, { ...notes, namespace: "default", name: "parent" })
    expect(world.judged).toMatchObject([{ origin: "cascade" }])
    const names = world.judged[0]?.candidates.map(({ key }) => key.name)
    expect(names?.sort()).toEqual(["child", "grandchild"])
    const { items } = await world.verbs.list(alice, things)
    expect(items.every(({ metadata }) => metadata.deletionTimestamp !== undefined)).toBe(true)
  })

  it("hold their owner back when they are held", async () => {
    const parent = await make(note("parent"), notes)
    await make(owned(thing("child"), parent))
    world.judgeWith(() => ({ kind: "held", plan: "p", reasons: [] }))
    const parentRef = { ...notes, namespace: "default", name: "parent" }
    expect(await faultOf(world.verbs.delete(alice, parentRef))).toMatchObject({ status: 403 })
    expect(await world.verbs.get(alice, parentRef)).toBeDefined()
  })

  it("stay when another owner lives, and lose their reference when orphaned", async () => {
    const one = await make(note("one"), notes)
    const two = await make(note("two"), notes)
    const both = owned(thing("child"), one)
    const references = [
      ...(both.metadata.ownerReferences ?? []),
      ...(owned(thing("child"), two).metadata.ownerReferences ?? []),
    ]
    await make({ ...both, metadata: { ...both.metadata, ownerReferences: references } })
    await world.verbs.delete(alice, { ...notes, namespace: "default", name: "one" })
    const options = { propagationPolicy: "Orphan" } as const
    await world.verbs.delete(alice, { ...notes, namespace: "default", name: "two" }, options)
    const child = await world.verbs.get(alice, ref("child"))
    expect(child?.metadata.deletionTimestamp).toBeUndefined()
    expect(child?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(["one"])
    expect(world.judged).toEqual([])
  })
})

describe("namespaces", () => {
  it("can't be deleted when they always exist", async () => {
    const fault = world.verbs.delete(alice, { ...namespaces, namespace: "", name: "default" })
    expect(await faultOf(fault)).toMatchObject({ status: 403 })
  })

  it("end when their last object is gone, loops last", async () => {
    await make(namespaceNamed("team"), namespaces)
    const there = (object: ApiObject) => ({
      ...object,
      metadata: { ...object.metadata, namespace: "team" },
    })
    await make(there(thing("a")))
    await make(there(configMap("c")), configMaps)
    const loop = {
      apiVersion: "setpoint.dev/v1alpha1",
      kind: "Loop",
      metadata: { name: "default", namespace: "team" },
    }
    await make(loop, loops)
    const team = { ...namespaces, namespace: "", name: "team" }
    const marked = await world.verbs.delete(alice, team)
    expect(marked.object.status?.phase).toBe("Terminating")
    expect(world.judged).toMatchObject([{ origin: "namespace" }])
    expect((await world.verbs.list(alice, configMaps, { namespace: "team" })).items).toEqual([])
    expect((await world.verbs.list(alice, loops, { namespace: "team" })).items).toHaveLength(1)
    const late = await faultOf(world.verbs.create(alice, configMaps, there(configMap("late"))))
    expect(late).toMatchObject({ status: 403 })
    const patch = { metadata: { finalizers: null } }
    const inTeam = { ...things, namespace: "team", name: "a" }
    await world.verbs.patch(enginePrincipal, inTeam, "merge", patch)
    expect(await world.verbs.get(alice, team)).toBeUndefined()
    expect((await world.verbs.list(alice, loops, { namespace: "team" })).items).toEqual([])
  })
})

describe("what only the engine writes", () => {
  const plan = {
    apiVersion: "setpoint.dev/v1alpha1",
    kind: "Plan",
    metadata: { name: "p", namespace: "default" },
    spec: { loop: "default.default" },
  }
  const planRef = { ...plans, namespace: "default", name: "p" }

  it("refuses plans from people", async () => {
    expect(await faultOf(world.verbs.create(alice, plans, plan))).toMatchObject({ status: 403 })
  })

  it("turns deleting a pending plan into a rejection", async () => {
    await world.verbs.create(enginePrincipal, plans, plan)
    const { object, gone } = await world.verbs.delete(alice, planRef)
    expect(gone).toBe(false)
    expect(object.status?.phase).toBe("Rejected")
    expect(world.rejected).toEqual(["alice p"])
    expect(await world.verbs.get(alice, planRef)).toBeDefined()
  })
})

describe("definitions", () => {
  it("with a provider stay while objects of theirs exist", async () => {
    await make(thing("a"))
    const definition = { ...definitions, namespace: "", name: "things.test.dev" }
    const fault = await faultOf(world.verbs.delete(alice, definition))
    expect(fault).toMatchObject({ code: "SPT-API-018", status: 409 })
    expect(await world.verbs.get(alice, ref("a"))).toBeDefined()
  })

  it("without one take their objects with them", async () => {
    await make(note("a"), notes)
    const definition = { ...definitions, namespace: "", name: "notes.test.dev" }
    expect((await world.verbs.delete(alice, definition)).gone).toBe(true)
    expect(await faultOf(world.verbs.list(alice, notes))).toMatchObject({ code: "SPT-API-002" })
    await world.verbs.create(alice, definitions, definitionOf("Note"))
    expect((await world.verbs.list(alice, notes)).items).toEqual([])
  })

  it("wait for objects with finalizers, and take nothing new in meanwhile", async () => {
    const { metadata, ...rest } = note("a")
    await make({ ...rest, metadata: { ...metadata, finalizers: ["test.dev/wait"] } }, notes)
    await make(note("b"), notes)
    const definition = { ...definitions, namespace: "", name: "notes.test.dev" }
    expect((await world.verbs.delete(alice, definition)).gone).toBe(false)
    const { items } = await world.verbs.list(alice, notes)
    expect(items.map((one) => one.metadata.name)).toEqual(["a"])
    expect(items[0]?.metadata.deletionTimestamp).toBeDefined()
    expect(JSON.stringify((await world.verbs.get(alice, definition))?.status)).toContain(
      "InstanceDeletionInProgress",
    )
    expect(await faultOf(make(note("c"), notes))).toMatchObject({ status: 405 })
    const target = { ...notes, namespace: "default", name: "a" }
    await world.verbs.patch(alice, target, "merge", { metadata: { finalizers: null } })
    expect(await world.verbs.get(alice, definition)).toBeUndefined()
  })

  it("never leave an object behind that is made in the same moment", async () => {
    const definition = { ...definitions, namespace: "", name: "notes.test.dev" }
    const made = Array.from({ length: 30 }, (_, index) => make(note(`n${index}`), notes))
    const ends = await Promise.allSettled([...made, world.verbs.delete(alice, definition)])
    expect(ends.at(-1)?.status).toBe("fulfilled")
    const prefix = "/registry/test.dev/notes/"
    const left = await world.store.range({ prefix })
    expect(left.kind === "range" ? left.entries : []).toEqual([])
    expect(await world.verbs.get(alice, definition)).toBeUndefined()
  })
})
