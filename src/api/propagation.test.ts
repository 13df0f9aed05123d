import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  configMap,
  configMaps,
  faultOf,
  namespaceNamed,
  namespaces,
  note,
  notes,
  openApiWorld,
  thing,
  things,
} from "../../test/conformance/client-world.ts"
import { systemClock, systemRandom } from "../base/system.ts"
import type { DeleteOptions } from "../contract/client.ts"
import type { ApiObject, OwnerReference } from "../object/object.ts"
import { releaseForeground } from "./after-end.ts"
import { collectGarbage } from "./collect-garbage.ts"
import { waitingOwners } from "./propagation.ts"
import { openApi } from "./verbs.ts"

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
})
afterEach(() => world.close())

const ref = (name: string) => ({ ...notes, namespace: "default", name })
const read = (name: string) => world.verbs.get(alice, ref(name))
const remove = (name: string, options: DeleteOptions = {}) =>
  world.verbs.delete(alice, ref(name), options)
const collect = (name: string) =>
  collectGarbage(world.context, {
    group: "test.dev",
    resource: "notes",
    namespace: "default",
    name,
  })

async function make(name: string, owners: readonly ApiObject[] = [], more: object = {}) {
  const ownerReferences = owners.map((owner): OwnerReference => {
    const { apiVersion, kind, metadata } = owner
    const { uid = "" } = metadata
    return { apiVersion, kind, name: metadata.name, uid, blockOwnerDeletion: true }
  })
  const { metadata, ...rest } = note(name)
  const object = { ...rest, metadata: { ...metadata, ownerReferences, ...more } }
  return (await world.verbs.create(alice, notes, object)).object
}

const waiting = { finalizers: ["test.dev/wait"] }
const letGo = (name: string) =>
  world.verbs.patch(alice, ref(name), "merge", { metadata: { finalizers: null } })

describe("a foreground delete", () => {
  it("keeps the owner, marked, until what blocks it is gone", async () => {
    const owner = await make("owner")
    await make("child", [owner], waiting)
    const { gone, object } = await remove("owner", { propagationPolicy: "Foreground" })
    expect(gone).toBe(false)
    expect(object.metadata.finalizers).toEqual(["foregroundDeletion"])
    expect((await read("child"))?.metadata.deletionTimestamp).toBeDefined()
    await letGo("child")
    expect(await read("child")).toBeUndefined()
    expect(await read("owner")).toBeUndefined()
  })

  it("waits through several levels, and not for those that do not block", async () => {
    const owner = await make("owner")
    const middle = await make("middle", [owner])
    await make("leaf", [middle], waiting)
    await remove("owner", { propagationPolicy: "Foreground" })
    expect(await read("middle")).toBeDefined()
    await letGo("leaf")
    expect(await read("middle")).toBeUndefined()
    expect(await read("owner")).toBeUndefined()
    const second = await make("second")
    const { metadata, ...rest } = note("free")
    const { apiVersion, kind } = second
    const { uid = "" } = second.metadata
    const ownerReferences = [{ apiVersion, kind, name: "second", uid }]
    const free = { ...rest, metadata: { ...metadata, ownerReferences, ...waiting } }
    await world.verbs.create(alice, notes, free)
    await remove("second", { propagationPolicy: "Foreground" })
    expect(await read("second")).toBeUndefined()
    expect((await read("free"))?.metadata.deletionTimestamp).toBeDefined()
  })

  it("of a circle waits for nobody", () => {
    const stored = (name: string, owner: string) => {
      const reference = { apiVersion: "v1", kind: "Note", name: owner, uid: owner }
      const ownerReferences = [{ ...reference, blockOwnerDeletion: true }]
      const object = { ...note(name), metadata: { name, uid: name, ownerReferences } }
      const key = { group: "", resource: "notes", namespace: "", name }
      return { key, storageKey: name, revision: 1, object }
    }
    expect([...waitingOwners([stored("a", "b"), stored("b", "a")])]).toEqual([])
  })

  it("is known after a crash that came between the dependents and their owner", async () => {
    const owner = await make("owner")
    await make("child", [owner], waiting)
    await remove("owner", { propagationPolicy: "Foreground" })
    const key = "/registry/test.dev/notes/default/child"
    await world.store.commit([], [{ kind: "delete", key }])
    const again = await openApi({
      ...{ store: world.store, clock: systemClock, random: systemRandom },
      judge: { judge: async () => ({ kind: "denied", reasons: [] }) },
      hasProvider: () => false,
    })
    const [[place = "", uid = ""] = []] = again.context.owners.waiting()
    expect(place).toBe("/registry/test.dev/notes/default/owner")
    const parsed = { group: "test.dev", resource: "notes", namespace: "default", name: "owner" }
    expect(await releaseForeground(again.context, parsed, uid)).toBeDefined()
    expect(await read("owner")).toBeUndefined()
    await again.close()
  })

  it("is judged as one set before anything is marked", async () => {
    const { object: owner } = await world.verbs.create(alice, things, thing("owner"))
    await make("child", [owner], waiting)
    world.judgeWith(() => ({ kind: "held", plan: "p", reasons: [] }))
    const target = { ...things, namespace: "default", name: "owner" }
    const held = world.verbs.delete(alice, target, { propagationPolicy: "Foreground" })
    expect(await faultOf(held)).toMatchObject({ status: 403 })
    expect((await read("child"))?.metadata.deletionTimestamp).toBeUndefined()
  })
})

describe("without a policy", () => {
  it("the finalizer `orphan` of an object keeps its dependents", async () => {
    const owner = await make("owner", [], { finalizers: ["orphan"] })
    await make("child", [owner])
    expect((await remove("owner")).gone).toBe(true)
    expect((await read("child"))?.metadata.ownerReferences).toBeUndefined()
  })

  it("a policy that is given overrules it", async () => {
    const owner = await make("owner", [], { finalizers: ["orphan"] })
    await make("child", [owner])
    expect((await remove("owner", { propagationPolicy: "Background" })).gone).toBe(true)
    expect(await read("child")).toBeUndefined()
  })
})

describe("the garbage collector", () => {
  it("removes what only has owners that are gone or were made again", async () => {
    const owner = await make("owner")
    const other = { ...owner, metadata: { ...owner.metadata, uid: "another" } }
    await make("late", [other])
    expect(await collect("late")).toEqual({ kind: "deleted" })
    expect(await read("late")).toBeUndefined()
    expect(await read("owner")).toBeDefined()
  })

  it("keeps what has a living owner, without the dangling reference", async () => {
    const [first, second] = [await make("first"), await make("second")]
    await make("child", [first, second])
    await remove("first")
    expect(await collect("child")).toEqual({ kind: "released" })
    const left = (await read("child"))?.metadata.ownerReferences
    expect(left?.map(({ name }) => name)).toEqual(["second"])
    expect(await collect("child")).toEqual({ kind: "kept" })
  })

  it("does nothing where an owner's kind is not served", async () => {
    const owner = { apiVersion: "gone.dev/v1", kind: "Gone", metadata: { name: "x", uid: "1" } }
    await make("child", [owner])
    expect(await collect("child")).toEqual({ kind: "kept" })
  })

  it("never destroys a target by itself: the judge is asked", async () => {
    const { metadata, ...rest } = thing("child")
    const lost = { apiVersion: "test.dev/v1", kind: "Note", name: "none", uid: "none" }
    const object = { ...rest, metadata: { ...metadata, ownerReferences: [lost] } }
    await world.verbs.create(alice, things, object)
    world.judgeWith(() => ({ kind: "held", plan: "p", reasons: [] }))
    const key = { group: "test.dev", resource: "things", namespace: "default", name: "child" }
    expect(await collectGarbage(world.context, key)).toMatchObject({ kind: "refused" })
    expect(world.judged.at(-1)).toMatchObject({ origin: "cascade" })
  })

  it("says when a cluster-scoped object names a namespaced owner, and keeps it", async () => {
    const owner = await make("owner")
    const { apiVersion, kind } = owner
    const ownerReferences = [{ apiVersion, kind, name: "owner", uid: owner.metadata.uid ?? "" }]
    const space = { ...namespaceNamed("team"), metadata: { name: "team", ownerReferences } }
    await world.verbs.create(alice, namespaces, space)
    const key = { group: "", resource: "namespaces", namespace: "", name: "team" }
    expect(await collectGarbage(world.context, key)).toMatchObject({ kind: "unresolvable" })
  })

  it("takes an owner in another namespace for none", async () => {
    await world.verbs.create(alice, namespaces, namespaceNamed("team"))
    const owner = await make("owner")
    const { apiVersion, kind } = owner
    const ownerReferences = [{ apiVersion, kind, name: "owner", uid: owner.metadata.uid ?? "" }]
    const { metadata: _, ...map } = configMap("child")
    const metadata = { name: "child", namespace: "team", ownerReferences }
    await world.verbs.create(alice, configMaps, { ...map, metadata })
    const key = { group: "", resource: "configmaps", namespace: "team", name: "child" }
    expect(await collectGarbage(world.context, key)).toEqual({ kind: "deleted" })
  })
})
