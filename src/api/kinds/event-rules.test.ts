import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  faultOf,
  openApiWorld,
} from "../../../test/conformance/client-world.ts"
import type { JsonObject } from "../../base/json.ts"
import { systemRandom } from "../../base/system.ts"
import type { ApiObject, ResourceRef } from "../../object/object.ts"
import { SimClock } from "../../sim/sim-clock.ts"
import { openMemoryStore } from "../../store/open-memory-store.ts"
import { openApi } from "../verbs.ts"

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
})
afterEach(() => world.close())

const core: ResourceRef = { group: "", version: "v1", resource: "events" }
const newer: ResourceRef = { group: "events.k8s.io", version: "v1", resource: "events" }
const ref = (resource: ResourceRef, name: string) => ({ ...resource, namespace: "default", name })

const about = { kind: "Thing", namespace: "default", name: "a" }
const oldEvent = (name: string, more: JsonObject = {}): ApiObject => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name, namespace: "default" },
  involvedObject: about,
  reason: "Seen",
  message: "it was seen",
  type: "Normal",
  count: 3,
  firstTimestamp: "2026-01-01T00:00:00Z",
  lastTimestamp: "2026-01-01T01:00:00Z",
  source: { component: "tester" },
  ...more,
})
const newEvent = (name: string, more: JsonObject = {}): ApiObject => ({
  apiVersion: "events.k8s.io/v1",
  kind: "Event",
  metadata: { name, namespace: "default" },
  regarding: about,
  reason: "Seen",
  note: "it was seen",
  type: "Normal",
  action: "Looking",
  eventTime: "2026-01-01T00:00:00.000000Z",
  reportingController: "example.com/tester",
  reportingInstance: "tester-1",
  ...more,
})

describe("events", () => {
  it("made in the core group are the same objects in events.k8s.io", async () => {
    await world.verbs.create(alice, core, oldEvent("a"))
    const seen = await world.verbs.get(alice, ref(newer, "a"))
    expect(seen).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      regarding: about,
      note: "it was seen",
      deprecatedCount: 3,
      deprecatedFirstTimestamp: "2026-01-01T00:00:00Z",
      deprecatedLastTimestamp: "2026-01-01T01:00:00Z",
      deprecatedSource: { component: "tester" },
    })
    expect(seen).not.toHaveProperty("message")
    const { items } = await world.verbs.list(alice, newer, { namespace: "default" })
    expect(items).toEqual([seen])
  })

  it("made in events.k8s.io are the same objects in the core group", async () => {
    await world.verbs.create(alice, newer, newEvent("b"))
    const seen = await world.verbs.get(alice, ref(core, "b"))
    expect(seen).toMatchObject({
      apiVersion: "v1",
      involvedObject: about,
      message: "it was seen",
      reportingComponent: "example.com/tester",
    })
    expect(seen).not.toHaveProperty("note")
    const again = world.verbs.create(alice, core, oldEvent("b"))
    expect(await faultOf(again)).toMatchObject({ status: 409, reason: "AlreadyExists" })
  })

  it("are watched, patched and deleted through either group", async () => {
    const signal = AbortSignal.timeout(10_000)
    const { resourceVersion } = await world.verbs.list(alice, newer)
    const events = world.verbs.watch(alice, newer, { resourceVersion, signal })
    await world.verbs.create(alice, core, oldEvent("c"))
    await world.verbs.patch(alice, ref(core, "c"), "merge", { count: 4 })
    await world.verbs.delete(alice, ref(newer, "c"))
    const seen: unknown[] = []
    for await (const event of events) {
      if (event.type === "BOOKMARK") continue
      seen.push([event.type, event.object.apiVersion, event.object.deprecatedCount])
      if (seen.length === 3) break
    }
    expect(seen).toEqual([
      ["ADDED", "events.k8s.io/v1", 3],
      ["MODIFIED", "events.k8s.io/v1", 4],
      ["DELETED", "events.k8s.io/v1", 4],
    ])
    expect(await world.verbs.get(alice, ref(core, "c"))).toBeUndefined()
  })

  it("through events.k8s.io say who reports what, and leave old fields out", async () => {
    const bad: JsonObject[] = [
      { eventTime: null },
      { reportingController: "" },
      { reportingInstance: "" },
      { action: "" },
      { reason: "" },
      { type: "Odd" },
      { deprecatedCount: 1 },
      { deprecatedSource: { component: "x" } },
      { series: { count: 1, lastObservedTime: "2026-01-01T00:00:00.000000Z" } },
      { note: "x".repeat(1025) },
    ]
    for (const more of bad) {
      const fault = await faultOf(world.verbs.create(alice, newer, newEvent("d", more)))
      expect(fault, JSON.stringify(more)).toMatchObject({ status: 422, reason: "Invalid" })
    }
  })

  it("through events.k8s.io change only in their series", async () => {
    await world.verbs.create(alice, newer, newEvent("e"))
    const series = { count: 2, lastObservedTime: "2026-01-01T00:00:00.000000Z" }
    const { object } = await world.verbs.patch(alice, ref(newer, "e"), "merge", { series })
    expect(object.series).toEqual(series)
    const changed = world.verbs.patch(alice, ref(newer, "e"), "merge", { note: "else" })
    expect(await faultOf(changed)).toMatchObject({ status: 422 })
  })

  it("of old clients may be about their own namespace only", async () => {
    const elsewhere = oldEvent("f", { involvedObject: { ...about, namespace: "other" } })
    expect(await faultOf(world.verbs.create(alice, core, elsewhere))).toMatchObject({ status: 422 })
  })

  it("are found by what they are about, in the words of each group", async () => {
    await world.verbs.create(alice, core, oldEvent("a"))
    await world.verbs.create(alice, newer, newEvent("b", { type: "Warning" }))
    const found = async (resource: ResourceRef, fieldSelector: string) => {
      const { items } = await world.verbs.list(alice, resource, { fieldSelector })
      return items.map(({ metadata }) => metadata.name)
    }
    expect(await found(core, "involvedObject.name=a,involvedObject.kind=Thing")).toEqual(["a", "b"])
    expect(await found(newer, "regarding.name=a,type=Warning")).toEqual(["b"])
    expect(await found(core, "source=tester")).toEqual(["a"])
    expect(await found(newer, "reportingController=example.com/tester")).toEqual(["b"])
    const wrong = world.verbs.list(alice, core, { fieldSelector: "regarding.name=a" })
    expect(await faultOf(wrong)).toMatchObject({ status: 400 })
  })

  it("that did not change are not stored again", async () => {
    const made = await world.verbs.create(alice, newer, newEvent("g"))
    const { revision } = world.store
    const again = await world.verbs.update(alice, newer, made.object)
    expect(again.changed).toBe(false)
    expect(world.store.revision).toBe(revision)
  })

  it("end together some time after they were last written, and nothing else does", async () => {
    const clock = new SimClock()
    const store = await openMemoryStore({ clock, random: systemRandom })
    const api = await openApi({
      ...{ store, clock, random: systemRandom, eventsKeepMs: 3_600_000 },
      judge: { judge: async () => ({ kind: "denied", reasons: [] }) },
      hasProvider: () => false,
    })
    const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } }
    await api.verbs.create(alice, { group: "", version: "v1", resource: "namespaces" }, space)
    for (const name of ["a", "b", "c"]) await api.verbs.create(alice, core, oldEvent(name))
    await clock.advance(50 * 60_000)
    await api.verbs.patch(alice, ref(core, "c"), "merge", { count: 9 })
    const names = async () =>
      (await api.verbs.list(alice, core)).items.map(({ metadata }) => metadata.name)
    expect(await names()).toEqual(["a", "b", "c"])
    const before = store.revision
    await clock.advance(20 * 60_000)
    expect(await names()).toEqual(["c"])
    // Two events and the lease that they hung on, each at a revision of its own.
    expect(store.revision).toBe(before + 3)
    await clock.advance(60 * 60_000)
    expect(await names()).toEqual([])
    await api.close()
    await store.close()
  })
})
