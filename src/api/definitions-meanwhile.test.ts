// Objects whose definition changes or goes while they are written, and objects of a definition with
// several versions, not all of which know every field.

import { afterEach, beforeEach, expect, it, vi } from "vitest"
import {
  type ApiWorld,
  alice,
  definitionOf,
  definitions,
  faultOf,
  note,
  notes,
  openApiWorld,
} from "../../test/conformance/client-world.ts"
import { isObject, type Json, type JsonObject } from "../base/json.ts"
import { parseJson } from "../base/json-text.ts"
import type { Principal } from "../contract/principal.ts"
import type { ApiObject, ResourceRef } from "../object/object.ts"

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await world.close()
})

const definition = { ...definitions, namespace: "", name: "notes.test.dev" }
const colorPath = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/color"
const turns = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

it("stores nothing of a kind whose definition went while the object was judged", async () => {
  const [plugin] = world.context.validating
  if (plugin === undefined) throw new Error("nobody judges")
  vi.spyOn(plugin, "admit").mockImplementationOnce(async ({ object }) => {
    await turns(50)
    return object
  })
  const creating = faultOf(world.verbs.create(alice, notes, note("late", { color: "red" })))
  await turns(10)
  await world.verbs.delete(alice, definition)
  expect((await creating).status).toBe(404)
  expect(await world.store.range({ prefix: "/registry/test.dev/notes/" })).toMatchObject({
    entries: [],
  })
})

const specOf = (bytes: Uint8Array | undefined): Json | undefined => {
  const read = parseJson(Buffer.from(bytes ?? Buffer.from("null")).toString())
  return isObject(read) ? read.spec : undefined
}

it("stores no object by a schema that changed under it, whichever came first", async () => {
  const commit = world.store.commit.bind(world.store)
  let [moment, creating]: [number, Promise<unknown> | undefined] = [0, undefined]
  const create = async () => {
    for (let tick = 0; tick < moment; tick++) await null
    return world.verbs.create(alice, notes, note(`n${moment}`, { color: "red" }))
  }
  vi.spyOn(world.store, "commit").mockImplementation((checks, writes) => {
    const answer = commit(checks, writes)
    const isDefinition = writes.some(({ key }) => key.endsWith("definitions/-/notes.test.dev"))
    if (isDefinition && creating === undefined) creating = create()
    return answer
  })
  for (; moment < 30; moment++) {
    const drop = [{ op: "remove", path: colorPath }]
    const { object } = await world.verbs.patch(alice, definition, "json", drop)
    await creating
    const at = { ...notes, namespace: "default", name: `n${moment}` }
    const live = await world.verbs.get(alice, at)
    const isNewer = Number(live?.metadata.resourceVersion) > Number(object.metadata.resourceVersion)
    if (isNewer) expect(specOf(await world.reads.get(at))).not.toHaveProperty("color")
    await world.verbs.patch(alice, definition, "json", [
      { op: "add", path: colorPath, value: { type: "string" } },
    ])
    creating = undefined
  }
})

it("shows a marked object by the schema that came while it was marked", async () => {
  const metadata = { name: "one", namespace: "default", finalizers: ["a.b/c"] }
  await world.verbs.create(alice, notes, { ...note("one", { color: "red" }), metadata })
  const commit = world.store.commit.bind(world.store)
  vi.spyOn(world.store, "commit").mockImplementation(async (checks, writes) => {
    await turns(5)
    return commit(checks, writes)
  })
  const at = { ...notes, namespace: "default", name: "one" }
  const changing = world.verbs.patch(alice, definition, "json", [{ op: "remove", path: colorPath }])
  await turns(1)
  await Promise.all([changing, world.verbs.delete(alice, at)])
  const object = await world.verbs.get(alice, at)
  expect(object?.metadata.deletionTimestamp).toBeDefined()
  expect(specOf(await world.reads.get(at))).toEqual(object?.spec)
  expect(object?.spec).not.toHaveProperty("color")
})

const cars: ResourceRef = { group: "test.dev", version: "v2", resource: "cars" }
const oldCars: ResourceRef = { ...cars, version: "v1" }
const place = { namespace: "default", name: "one" }
const car = (version: string, spec: JsonObject): ApiObject => ({
  apiVersion: `test.dev/${version}`,
  kind: "Car",
  metadata: place,
  spec,
})

/** v2 is stored and knows more than v1. */
async function defineCars(): Promise<void> {
  const version = (name: string, fields: readonly string[]): JsonObject => ({
    ...{ name, served: true, storage: name === "v2", subresources: { status: {} } },
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: {
            type: "object",
            properties: Object.fromEntries(fields.map((field) => [field, { type: "string" }])),
          },
          status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    },
  })
  const { spec, ...rest } = definitionOf("Car")
  const versions = [version("v1", ["a", "k"]), version("v2", ["a", "k", "b", "c"])]
  await world.verbs.create(alice, definitions, { ...rest, spec: { ...spec, versions } })
}

it("keeps what is stated and owned in a newer version when an older one stated more", async () => {
  await defineCars()
  const as = { fieldManager: "alice" }
  await world.verbs.apply(alice, oldCars, car("v1", { a: "1", k: "k" }), as)
  const bob: Principal = { name: "bob", kind: "human" }
  await world.verbs.patch(bob, { ...cars, ...place }, "merge", { spec: { c: "bob's" } })
  await world.verbs.apply(alice, cars, car("v2", { k: "k", b: "new" }), as)
  const live = await world.verbs.get(alice, { ...cars, ...place })
  expect(live?.spec).toEqual({ k: "k", b: "new", c: "bob's" })
})

it("loses no field that a source declares by a write through a version without it", async () => {
  await defineCars()
  const source: Principal = { name: "setpoint-source/git", kind: "service" }
  const as = { fieldManager: source.name }
  await world.verbs.apply(source, cars, car("v2", { a: "1", b: "2" }), as)
  const old = { ...oldCars, ...place }
  const label = world.verbs.patch(alice, old, "merge", { metadata: { labels: { x: "y" } } })
  expect(await faultOf(label)).toMatchObject({ status: 409, code: "SPT-API-016" })
  const status = world.verbs.patch(alice, old, "merge", { status: {} }, { subresource: "status" })
  expect(await faultOf(status)).toMatchObject({ status: 409 })
  const now = { ...cars, ...place }
  await world.verbs.patch(alice, now, "merge", { metadata: { labels: { x: "y" } } })
  expect((await world.verbs.get(alice, now))?.spec).toEqual({ a: "1", b: "2" })
})
