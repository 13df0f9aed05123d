// Deletes of sets that no commit holds. What is judged is one set; what nothing hangs on goes in
// parts, since a namespace fills up with Events that nobody counts.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { binding, bindings, policies, policy } from "../../test/conformance/admission-objects.ts"
import {
  type ApiWorld,
  alice,
  configMap,
  configMaps,
  definitions,
  faultOf,
  namespaceNamed,
  namespaces,
  note,
  notes,
  openApiWorld,
  thing,
  things,
} from "../../test/conformance/client-world.ts"
import type { Write } from "../contract/store.ts"
import type { ApiObject } from "../object/object.ts"
import { encodeObject } from "./codec.ts"
import { storageKey } from "./storage-keys.ts"

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
  await world.verbs.create(alice, namespaces, namespaceNamed("site"))
})
afterEach(() => world.close())

const site = { ...namespaces, namespace: "", name: "site" }
const places = {
  events: { group: "", resource: "events" },
  configmaps: { group: "", resource: "configmaps" },
  notes: { group: "test.dev", resource: "notes" },
}

/** As they would be there after a long time: put into the store many at a time. */
async function fill(resource: keyof typeof places, count: number, like: ApiObject): Promise<void> {
  for (let at = 0; at < count; at += 4000) {
    const writes = Array.from({ length: Math.min(4000, count - at) }, (_, index): Write => {
      const name = `n${String(at + index).padStart(6, "0")}`
      const metadata = { ...like.metadata, name, namespace: "site", uid: `${resource}-${name}` }
      const key = storageKey({ ...places[resource], namespace: "site", name })
      return { kind: "put", key, value: encodeObject({ ...like, metadata }), apart: true }
    })
    await world.store.commit([], writes)
  }
}

const event = { apiVersion: "v1", kind: "Event", metadata: { name: "e" } }
const left = async (prefix: string) => {
  const range = await world.store.range({ prefix })
  return range.kind === "range" ? range.entries.length : -1
}

describe("a namespace with more objects than one set may have", () => {
  it("ends when nothing hangs on them", async () => {
    await fill("events", 20_500, event)
    await fill("configmaps", 600, configMap("x"))
    const { gone } = await world.verbs.delete(alice, site)
    expect(await left("/registry/core/events/")).toBe(0)
    expect(await left("/registry/core/configmaps/site/")).toBe(0)
    expect(await world.verbs.get(alice, site)).toBeUndefined()
    expect(gone).toBe(false)
  })

  it("ends also when somebody counts up an event meanwhile", async () => {
    await fill("events", 6000, event)
    const metadata = { name: "n005700", namespace: "site", uid: "events-n005700" }
    const key = storageKey({ ...places.events, ...metadata })
    const value = encodeObject({ ...event, metadata, count: 9 })
    const commit = world.store.commit.bind(world.store)
    let isChanged = false
    vi.spyOn(world.store, "commit").mockImplementation(async (checks, writes) => {
      if (!isChanged && writes.some((write) => write.key === key)) {
        isChanged = true
        await commit([], [{ kind: "put", key, value }])
      }
      return commit(checks, writes)
    })
    await world.verbs.delete(alice, site)
    expect(isChanged).toBe(true)
    expect(await left("/registry/core/events/")).toBe(0)
    expect(await world.verbs.get(alice, site)).toBeUndefined()
  })

  it("takes along what was made while the rest was looked at", async () => {
    const key = storageKey({ ...places.configmaps, namespace: "site", name: "late" })
    const metadata = { ...configMap("late").metadata, namespace: "site", uid: "late" }
    const value = encodeObject({ ...configMap("late"), metadata })
    const place = storageKey({ group: "", resource: "namespaces", namespace: "", name: "site" })
    const commit = world.store.commit.bind(world.store)
    let isMade = false
    vi.spyOn(world.store, "commit").mockImplementation(async (checks, writes) => {
      if (!isMade && writes.some((write) => write.key === place)) {
        isMade = true
        await commit([], [{ kind: "put", key, value }])
      }
      return commit(checks, writes)
    })
    await world.verbs.delete(alice, site)
    expect(isMade).toBe(true)
    expect(await world.store.get(key)).toBeUndefined()
    expect(await world.verbs.get(alice, site)).toBeUndefined()
  })

  it("is marked before anything of it goes, so that what was cut off goes on", async () => {
    await fill("configmaps", 1200, configMap("x"))
    const commit = world.store.commit.bind(world.store)
    let count = 0
    vi.spyOn(world.store, "commit").mockImplementation(async (checks, writes) => {
      if (++count > 2) throw new Error("the plane is gone")
      return commit(checks, writes)
    })
    await expect(world.verbs.delete(alice, site)).rejects.toThrow("the plane is gone")
    vi.restoreAllMocks()
    const live = await world.verbs.get(alice, site)
    expect(live?.metadata.deletionTimestamp).toBeDefined()
    expect(await left("/registry/core/configmaps/site/")).toBe(700)
    await world.verbs.delete(alice, site)
    expect(await world.verbs.get(alice, site)).toBeUndefined()
  })

  it("keeps all of them while what is judged with them is held", async () => {
    await fill("events", 6000, event)
    const held = thing("a")
    const metadata = { ...held.metadata, namespace: "site" }
    await world.verbs.create(alice, things, { ...held, metadata })
    world.judgeWith(() => ({ kind: "held", plan: "p", reasons: [] }))
    const fault = await faultOf(world.verbs.delete(alice, site))
    expect(fault.status).toBe(403)
    expect(await left("/registry/core/events/")).toBe(6000)
    expect(world.judged.at(-1)?.candidates).toHaveLength(1)
  })

  it("keeps all of them when a policy refuses the last one", async () => {
    await fill("events", 6000, event)
    const resourceRules = [
      { apiGroups: [""], apiVersions: ["*"], operations: ["DELETE"], resources: ["events"] },
    ]
    const expression = "oldObject.metadata.name != 'n005999'"
    const spec = { matchConstraints: { resourceRules }, validations: [{ expression }] }
    await world.verbs.create(alice, policies, policy("keeps", spec))
    await world.verbs.create(alice, bindings, binding("keeps", "keeps"))
    const fault = await faultOf(world.verbs.delete(alice, site))
    expect(fault.message).toContain("keeps")
    expect(await left("/registry/core/events/")).toBe(6000)
    expect((await world.verbs.get(alice, site))?.metadata.deletionTimestamp).toBeUndefined()
  })

  it("shows in a dry run that it would end, and keeps everything", async () => {
    await fill("events", 6000, event)
    await world.verbs.delete(alice, site, { dryRun: true })
    expect(await left("/registry/core/events/")).toBe(6000)
  })

  it("leaves what somebody else waits for until that is over", async () => {
    const waiting = { ...configMap("x"), metadata: { name: "x", finalizers: ["test.dev/wait"] } }
    await fill("events", 6000, event)
    await fill("configmaps", 1, waiting)
    await world.verbs.delete(alice, site)
    expect(await left("/registry/core/events/")).toBe(0)
    const live = await world.verbs.get(alice, site)
    expect(live?.status?.phase).toBe("Terminating")
    const ref = { ...configMaps, namespace: "site", name: "n000000" }
    await world.verbs.patch(alice, ref, "merge", { metadata: { finalizers: null } })
    expect(await world.verbs.get(alice, site)).toBeUndefined()
  })

  it("is refused when too many others hang together, with the way out", async () => {
    await fill("notes", 20_001, {
      ...note("x"),
      metadata: { name: "x", finalizers: ["test.dev/wait"] },
    })
    const fault = await faultOf(world.verbs.delete(alice, site))
    expect(fault).toMatchObject({ code: "SPT-API-097", status: 413 })
    expect(fault.hint).toContain("selector or a limit")
    expect((await world.verbs.get(alice, site))?.metadata.deletionTimestamp).toBeUndefined()
    const part = await world.verbs.deleteCollection(alice, notes, { namespace: "site", limit: 9 })
    expect(part.items).toHaveLength(9)
  })
})

describe("a definition with more objects than one set may have", () => {
  it("takes them along when nothing hangs on them", async () => {
    await fill("notes", 20_500, note("x"))
    const ref = { ...definitions, namespace: "", name: "notes.test.dev" }
    const { gone } = await world.verbs.delete(alice, ref)
    expect(gone).toBe(true)
    expect(await left("/registry/test.dev/notes/")).toBe(0)
  })
})
