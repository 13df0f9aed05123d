// What every Client promises, whatever lies between it and the verbs. Each test gets a fresh world.

import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { isFault } from "../../src/base/faults.ts"
import type { Client, ObjectEvent } from "../../src/contract/client.ts"
import type { ApiObject } from "../../src/object/object.ts"
import {
  type ApiWorld,
  configMap,
  configMaps,
  faultOf,
  note,
  notes,
  openApiWorld,
  thing,
  things,
} from "./client-world.ts"

export interface ClientUnderTest {
  readonly client: Client
  close(): Promise<void>
}

const ref = (name: string) => ({ ...configMaps, namespace: "default", name })

export function clientConformance(
  name: string,
  open: (world: ApiWorld) => Promise<ClientUnderTest>,
): void {
  describe(`${name} as a client`, () => {
    let world: ApiWorld
    let under: ClientUnderTest
    let client: Client
    beforeEach(async () => {
      world = await openApiWorld()
      under = await open(world)
      client = under.client
    })
    afterEach(async () => {
      await under.close()
      await world.close()
    })

    it("answers undefined for what does not exist, and throws for an unknown kind", async () => {
      expect(await client.get(ref("none"))).toBeUndefined()
      const unknown = { ...configMaps, resource: "nothings", namespace: "default", name: "a" }
      expect(await faultOf(client.get(unknown))).toMatchObject({ status: 404 })
    })

    it("reads back what it made", async () => {
      const made = await client.create(configMaps, configMap("a", { text: "é\u2028{x}" }))
      expect(made.metadata.resourceVersion).toBe(String(world.store.revision))
      expect(await client.get(ref("a"))).toEqual(made)
      const list = await client.list(configMaps, { namespace: "default" })
      expect(list).toEqual({ items: [made], resourceVersion: String(world.store.revision) })
    })

    it("pages and selects", async () => {
      for (const each of ["a", "b", "c"]) await client.create(configMaps, configMap(each))
      const page = await client.list(configMaps, { limit: 2 })
      expect(page.items).toHaveLength(2)
      const rest = await client.list(configMaps, { limit: 2, continue: page.continue ?? "" })
      expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(["c"])
      const fieldSelector = "metadata.name=b"
      const { items } = await client.list(configMaps, { namespace: "default", fieldSelector })
      expect(items.map(({ metadata }) => metadata.name)).toEqual(["b"])
    })

    it("updates under an optimistic lock", async () => {
      const made = await client.create(configMaps, configMap("a"))
      const changed = await client.update(configMaps, { ...made, data: { x: "1" } })
      const stale = await faultOf(client.update(configMaps, { ...made, data: { x: "2" } }))
      expect(stale).toMatchObject({ code: "SPT-API-004", status: 409, reason: "Conflict" })
      expect(await client.get(ref("a"))).toEqual(changed)
    })

    it("keeps status apart", async () => {
      const made = await client.create(notes, note("a"))
      const status = { phase: "Fine" }
      const reported = await client.updateStatus(notes, { ...made, spec: { size: 9 }, status })
      expect(reported).toMatchObject({ spec: { size: 1 }, status })
    })

    it("patches both ways", async () => {
      await client.create(configMaps, configMap("a", { x: "1", y: "2" }))
      const merged = await client.patch(ref("a"), "merge", { data: { x: null } })
      expect(merged.data).toEqual({ y: "2" })
      const operations = [{ op: "add", path: "/data/z", value: "3" }]
      const patched = await client.patch(ref("a"), "json", operations)
      expect(patched.data).toEqual({ y: "2", z: "3" })
    })

    it("applies, and conflicts are named field by field", async () => {
      await client.apply(notes, note("a", { color: "red" }), { fieldManager: "kim" })
      const blue = note("a", { color: "blue" })
      const fault = await faultOf(client.apply(notes, blue, { fieldManager: "lee" }))
      expect(fault).toMatchObject({ status: 409, code: "SPT-API-017" })
      expect(JSON.parse(fault.details.causes ?? "")).toMatchObject([{ field: ".spec.color" }])
      const taken = await client.apply(notes, blue, { fieldManager: "lee", force: true })
      expect(taken.spec?.color).toBe("blue")
    })

    it("writes nothing in a dry run", async () => {
      await client.create(configMaps, configMap("a"))
      const before = world.store.revision
      await client.create(configMaps, configMap("b"), { dryRun: true })
      await client.patch(ref("a"), "merge", { data: { x: "1" } }, { dryRun: true })
      await client.apply(notes, note("a"), { fieldManager: "kim", dryRun: true })
      await client.delete(ref("a"), { dryRun: true })
      await client.deleteCollection(configMaps, { dryRun: true })
      expect(world.store.revision).toBe(before)
    })

    it("deletes many only where of each of them holds what was said", async () => {
      const [a, b] = [await client.create(configMaps, configMap("a")), configMap("b")]
      await client.create(configMaps, b)
      const { uid = "", resourceVersion = "" } = a.metadata
      for (const preconditions of [{ uid }, { resourceVersion }, { uid: "other" }]) {
        const fault = await faultOf(client.deleteCollection(configMaps, { preconditions }))
        expect(fault).toMatchObject({ status: 409, reason: "Conflict" })
      }
      expect((await client.list(configMaps)).items).toHaveLength(2)
      const { items } = await client.deleteCollection(configMaps, {
        ...{ fieldSelector: "metadata.name=a", resourceVersion },
        preconditions: { uid, resourceVersion },
      })
      expect(items.map(({ metadata }) => metadata.name)).toEqual(["a"])
      expect((await client.list(configMaps)).items).toHaveLength(1)
    })

    it("carries code, hint, causes and details of a refusal", async () => {
      const fault = await faultOf(client.create(notes, note("a", { size: 500 })))
      expect(isFault(fault)).toBe(true)
      expect(fault).toMatchObject({ code: "SPT-API-005", status: 422, reason: "Invalid" })
      expect(fault.hint).not.toBe("")
      expect(JSON.parse(fault.details.causes ?? "")).toMatchObject([{ field: "spec.size" }])
    })

    it("refuses unknown fields when strict", async () => {
      const strict = { fieldValidation: "Strict" } as const
      const fault = await faultOf(client.create(notes, note("a", { zzz: 1 }), strict))
      expect(fault).toMatchObject({ code: "SPT-API-007", status: 400 })
    })

    it("names the plan that holds a delete", async () => {
      await client.create(things, thing("a"))
      const reasons = [{ guard: "g", code: "DeleteLimit", message: "over the limit" }]
      world.judgeWith(() => ({ kind: "held", plan: "plan-3", reasons }))
      const thingRef = { ...things, namespace: "default", name: "a" }
      const fault = await faultOf(client.delete(thingRef))
      expect(fault).toMatchObject({ status: 403, details: { plan: "plan-3" } })
      expect(fault.message).toContain("plan-3")
      expect(fault.hint).toContain("setpoint approve plan-3")
    })

    it("answers a delete with the object, marked or gone", async () => {
      await client.create(things, thing("a"))
      const thingRef = { ...things, namespace: "default", name: "a" }
      expect((await client.delete(thingRef)).metadata.deletionTimestamp).toBeDefined()
      const made = await client.create(configMaps, configMap("a"))
      const wrong = await faultOf(client.delete(ref("a"), { uid: "other" }))
      expect(wrong).toMatchObject({ status: 409 })
      expect((await client.delete(ref("a"))).metadata.uid).toBe(made.metadata.uid)
      expect(await faultOf(client.delete(ref("a")))).toMatchObject({ status: 404 })
    })

    it("deletes a collection and says what", async () => {
      for (const each of ["a", "b"]) await client.create(configMaps, configMap(each))
      const { items } = await client.deleteCollection(configMaps, { namespace: "default" })
      expect(items.map(({ metadata }) => metadata.name)).toEqual(["a", "b"])
      expect((await client.list(configMaps)).items).toEqual([])
    })

    it("watches from a list without gap, and ends when told", async () => {
      await client.create(configMaps, configMap("before"))
      const { resourceVersion } = await client.list(configMaps)
      await client.create(configMaps, configMap("between"))
      const stop = new AbortController()
      const seen: string[] = []
      const events = client.watch(configMaps, { resourceVersion, signal: stop.signal })
      const done = follow(events, (line) => {
        seen.push(line)
        if (seen.length === 3) stop.abort()
      })
      await client.create(configMaps, configMap("after"))
      await client.delete(ref("before"))
      await done
      expect(seen).toEqual(["ADDED between", "ADDED after", "DELETED before"])
    })

    it("ends a watch with 410 when its past is compacted", async () => {
      await client.create(configMaps, configMap("a"))
      const resourceVersion = String(world.store.revision)
      for (const each of ["b", "c"]) await client.create(configMaps, configMap(each))
      await world.store.compact(world.store.revision)
      const stop = new AbortController()
      const events = client.watch(configMaps, { resourceVersion, signal: stop.signal })
      const fault = await faultOf(follow(events, () => {}))
      expect(fault).toMatchObject({ status: 410, reason: "Expired" })
    })

    it("reaches extension routes and says when there is none", async () => {
      expect(await client.call("GET", "/setpoint/v1/echo/a%20b?x=1")).toEqual({
        name: "a b",
        x: "1",
        body: null,
      })
      expect(await client.call("POST", "/setpoint/v1/echo/a", { y: [1] })).toMatchObject({
        body: { y: [1] },
      })
      expect(await faultOf(client.call("GET", "/setpoint/v1/none"))).toMatchObject({ status: 404 })
    })
  })
}

async function follow(
  events: AsyncIterable<ObjectEvent>,
  each: (line: string) => void,
): Promise<void> {
  for await (const event of events) {
    if (event.type === "BOOKMARK") continue
    const object: ApiObject = event.object
    each(`${event.type} ${object.metadata.name}`)
  }
}
