// Deletes while somebody else writes, amid parts that failed, and of what is not served or not
// marked like the rest: nothing goes unasked, and nothing stays for ever.

import { afterEach, beforeEach, expect, it, vi } from "vitest"
import {
  type ApiWorld,
  alice,
  configMap,
  configMaps,
  definitions,
  faultOf,
  loops,
  namespaceNamed,
  namespaces,
  note,
  notes,
  openApiWorld,
  thing,
  things,
} from "../../test/conformance/client-world.ts"
import type { Principal } from "../contract/principal.ts"
import type { Write } from "../contract/store.ts"
import type { ApiObject, ObjectMeta, OwnerReference } from "../object/object.ts"
import { encodeObject } from "./codec.ts"
import { collectGarbage } from "./collect-garbage.ts"

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
})
afterEach(() => world.close())

const site = { ...namespaces, namespace: "", name: "site" }
const definition = { ...definitions, namespace: "", name: "things.test.dev" }
const makeSite = async (more: Partial<ObjectMeta> = {}) =>
  (await world.verbs.create(alice, namespaces, withMeta(namespaceNamed("site"), more))).object

const withMeta = (object: ApiObject, more: Partial<ObjectMeta>): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, ...more },
})
const inSite = (object: ApiObject, more: Partial<ObjectMeta> = {}): ApiObject =>
  withMeta(object, { ...more, namespace: "site" })
const ownedBy = (...owners: readonly ApiObject[]): Partial<ObjectMeta> => ({
  ownerReferences: owners.map(
    ({ apiVersion, kind, metadata: { name, uid = "" } }): OwnerReference => {
      return { apiVersion, kind, name, uid, blockOwnerDeletion: true }
    },
  ),
})

/** Puts many into the store at once, as they would be there after a long time. */
async function fillSite(count: number, like: (index: number) => ApiObject): Promise<void> {
  for (let at = 0; at < count; at += 20) {
    const writes = Array.from({ length: Math.min(20, count - at) }, (_, index): Write => {
      const object = inSite(like(at + index), { uid: `uid-${at + index}` })
      const key = `/registry/core/configmaps/site/${object.metadata.name}`
      return { kind: "put", key, value: encodeObject(object), apart: true }
    })
    await world.store.commit([], writes)
  }
}

const left = async (prefix: string): Promise<number> => {
  const range = await world.store.range({ prefix })
  return range.kind === "range" ? range.entries.length : -1
}

/** Once, around the first commit with such a write. */
function atCommit(
  isIt: (write: Write) => boolean,
  when: "before" | "after",
  act: () => Promise<unknown>,
): void {
  const commit = world.store.commit.bind(world.store)
  let isDone = false
  vi.spyOn(world.store, "commit").mockImplementation(async (checks, writes) => {
    const isNow = !isDone && writes.some(isIt)
    if (isNow) isDone = true
    if (isNow && when === "before") await act()
    const answer = await commit(checks, writes)
    if (isNow && when === "after") await act()
    return answer
  })
}

const sitePath = "/registry/core/namespaces/-/site"
const holdAll = () => world.judgeWith(() => ({ kind: "held", plan: "p", reasons: [] }))

it("leaves a namespace that was made again as soon as the first of its name ended", async () => {
  const { metadata } = await makeSite()
  atCommit(
    ({ kind, key }) => kind === "delete" && key === sitePath,
    "after",
    async () => {
      await makeSite()
      await world.verbs.create(alice, configMaps, inSite(configMap("precious")))
    },
  )
  await world.verbs.delete(alice, site, { uid: metadata.uid ?? "" })
  const now = await world.verbs.get(alice, site)
  expect(now?.metadata.uid).not.toBe(metadata.uid)
  expect(now?.metadata.deletionTimestamp).toBeUndefined()
  expect(await left("/registry/core/configmaps/site/precious")).toBe(1)
})

it("asks about objects of a kind that is not served now, and keeps their namespace", async () => {
  await makeSite()
  await world.verbs.create(alice, things, inSite(thing("one")))
  const { spec } = (await world.verbs.get(alice, definition)) ?? {}
  const versions = Array.isArray(spec?.versions) ? spec.versions : []
  const unserved = versions.map((version) => ({ ...Object(version), served: false }))
  await world.verbs.patch(alice, definition, "merge", { spec: { versions: unserved } })
  holdAll()
  const fault = await faultOf(world.verbs.delete(alice, site))
  expect([fault.status, fault.code]).toEqual([403, "SPT-API-014"])
  expect((await world.verbs.get(alice, site))?.metadata.deletionTimestamp).toBeUndefined()
  expect(await left("/registry/test.dev/things/site/")).toBe(1)
})

it("marks no target unasked that was made while its definition was marked", async () => {
  holdAll()
  atCommit(
    ({ key }) => key.endsWith("/customresourcedefinitions/-/things.test.dev"),
    "before",
    () => world.verbs.create(alice, things, thing("late")),
  )
  await world.verbs.delete(alice, definition)
  const at = { ...things, namespace: "default", name: "late" }
  const isMarked = async () =>
    (await world.verbs.get(alice, at))?.metadata.deletionTimestamp !== undefined
  expect(await isMarked()).toBe(false)
  expect((await faultOf(world.verbs.delete(alice, at))).status).toBe(403)
  world.judgeWith(() => ({ kind: "allowed", reserve: { checks: [], writes: [] } }))
  await world.verbs.delete(alice, at)
  expect(await isMarked()).toBe(true)
})

it("tells who deletes a namespace that the rest of it could not be deleted", async () => {
  await makeSite()
  const commit = world.store.commit.bind(world.store)
  let isMade = false
  vi.spyOn(world.store, "commit").mockImplementation(async (checks, writes) => {
    if (!isMade && writes.some(({ key }) => key === sitePath)) {
      isMade = true
      await world.verbs.create(alice, configMaps, inSite(configMap("late")))
    }
    const isLate = writes.some(({ kind, key }) => kind === "delete" && key.endsWith("/late"))
    if (isLate) throw new TypeError("a bug")
    return commit(checks, writes)
  })
  await expect(world.verbs.delete(alice, site)).rejects.toThrow("a bug")
  vi.restoreAllMocks()
  await world.verbs.delete(alice, site)
  expect(await world.verbs.get(alice, site)).toBeUndefined()
})

it("ends a namespace when the finalizer of its metadata goes", async () => {
  await makeSite({ finalizers: ["a.b/c"] })
  await world.verbs.delete(alice, site)
  await world.verbs.patch(alice, site, "merge", { metadata: { finalizers: null } })
  expect(await world.verbs.get(alice, site)).toBeUndefined()
})

it("marks more bytes than one commit takes", async () => {
  await makeSite()
  const large = { a: "x".repeat(1_000_000) }
  await fillSite(40, (index) => withMeta(configMap(`c${index}`, large), { finalizers: ["a.b/c"] }))
  await world.verbs.delete(alice, site)
  for (const name of ["c0", "c39"]) {
    const map = await world.verbs.get(alice, { ...configMaps, namespace: "site", name })
    expect(map?.metadata.deletionTimestamp).toBeDefined()
  }
})

it("goes on with a namespace that it marked, whatever revision was asked for", async () => {
  const { metadata } = await makeSite()
  await fillSite(600, (index) => configMap(`c${index}`))
  const path = "/registry/core/configmaps/site/c5"
  const object = inSite(configMap("c5", { a: "b" }), { uid: "uid-5" })
  const put = { kind: "put", key: path, value: encodeObject(object) } as const
  atCommit(
    ({ kind, key }) => kind === "delete" && key === path,
    "before",
    () => world.store.commit([], [put]),
  )
  const { resourceVersion = "" } = metadata
  await world.verbs.delete(alice, site, { resourceVersion })
  expect(await left("/registry/core/configmaps/site/")).toBe(0)
  expect(await world.verbs.get(alice, site)).toBeUndefined()
})

it("deletes what is made below an owner that waits for its dependents", async () => {
  const { object: owner } = await world.verbs.create(alice, notes, note("owner"))
  const first = withMeta(note("first"), { ...ownedBy(owner), finalizers: ["a.b/c"] })
  await world.verbs.create(alice, notes, first)
  const at = (name: string) => ({ ...notes, namespace: "default", name })
  await world.verbs.delete(alice, at("owner"), { propagationPolicy: "Foreground" })
  await world.verbs.create(alice, notes, withMeta(note("second"), ownedBy(owner)))
  await world.verbs.patch(alice, at("first"), "merge", { metadata: { finalizers: null } })
  const second = { group: "test.dev", resource: "notes", namespace: "default", name: "second" }
  expect(await collectGarbage(world.context, second)).toEqual({ kind: "deleted" })
  expect(await left("/registry/test.dev/notes/default/")).toBe(0)
})

it("asks about what is in a namespace that another one owns", async () => {
  const parent = await makeSite()
  const child = withMeta(namespaceNamed("child"), ownedBy(parent))
  await world.verbs.create(alice, namespaces, child)
  await world.verbs.create(alice, configMaps, withMeta(configMap("map"), { namespace: "child" }))
  await world.verbs.create(alice, things, withMeta(thing("one"), { namespace: "child" }))
  holdAll()
  expect((await faultOf(world.verbs.delete(alice, site))).status).toBe(403)
  expect(await left("/registry/core/configmaps/child/")).toBe(1)
  world.judgeWith(() => ({ kind: "allowed", reserve: { checks: [], writes: [] } }))
  await world.verbs.delete(alice, site)
  expect(await left("/registry/core/configmaps/child/")).toBe(0)
})

it("orphans what two of those that go own together", async () => {
  const labels = { go: "yes" }
  const make = async (name: string, more: Partial<ObjectMeta>) =>
    (await world.verbs.create(alice, notes, withMeta(note(name), more))).object
  const owners = [await make("a", { labels }), await make("b", { labels })]
  await make("c", ownedBy(...owners))
  const options = {
    namespace: "default",
    labelSelector: "go=yes",
    propagationPolicy: "Orphan",
  } as const
  await world.verbs.deleteCollection(alice, notes, options)
  const kept = await world.verbs.get(alice, { ...notes, namespace: "default", name: "c" })
  expect(kept?.metadata.ownerReferences).toBeUndefined()
  expect(await left("/registry/test.dev/notes/default/")).toBe(1)
})

it("ends a namespace with more loops than one part holds", async () => {
  await makeSite()
  const writes = Array.from({ length: 1001 }, (_, index): Write => {
    const metadata = { name: `l${index}`, namespace: "site", uid: `u${index}` }
    const loop = { apiVersion: "setpoint.dev/v1alpha1", kind: "Loop", metadata, spec: {} }
    const key = `/registry/setpoint.dev/loops/site/l${index}`
    return { kind: "put", key, value: encodeObject(loop), apart: true }
  })
  await world.store.commit([], writes)
  await world.verbs.delete(alice, site)
  expect(await left("/registry/setpoint.dev/loops/site/")).toBe(0)
  expect(await world.verbs.get(alice, site)).toBeUndefined()
})

it("keeps a namespace whose loop a source declares", async () => {
  await makeSite()
  const source: Principal = { name: "setpoint-source/git", kind: "service" }
  const metadata = { name: "one", namespace: "site" }
  const loop = {
    apiVersion: "setpoint.dev/v1alpha1",
    kind: "Loop",
    metadata,
    spec: { mode: "Observe" },
  }
  await world.verbs.apply(source, loops, loop, { fieldManager: "setpoint-source/git" })
  const byName = await faultOf(
    world.verbs.delete(alice, { ...loops, namespace: "site", name: "one" }),
  )
  expect(await faultOf(world.verbs.delete(alice, site))).toMatchObject({ code: byName.code })
  expect((await world.verbs.get(alice, site))?.metadata.deletionTimestamp).toBeUndefined()
})

it("looks at what a namespace owned elsewhere when it is gone", async () => {
  const owner = await makeSite()
  const map = inSite(configMap("map"), { finalizers: ["a.b/c"] })
  await world.verbs.create(alice, configMaps, map)
  await world.verbs.delete(alice, site)
  const other = withMeta(namespaceNamed("other"), ownedBy(owner))
  await world.verbs.create(alice, namespaces, other)
  const suspects: string[] = []
  world.context.owners.onSuspects((keys) => suspects.push(...keys))
  const at = { ...configMaps, namespace: "site", name: "map" }
  await world.verbs.patch(alice, at, "merge", { metadata: { finalizers: null } })
  expect(suspects).toContain("/registry/core/namespaces/-/other")
})
