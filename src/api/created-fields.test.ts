import { describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  configMap,
  configMaps,
  definitionOf,
  definitions,
  notes,
  openApiWorld,
} from "../../test/conformance/client-world.ts"
import type { ApiObject } from "../object/object.ts"

const noteOf = (name: string, members: Partial<ApiObject>): ApiObject => ({
  ...{ apiVersion: "test.dev/v1", kind: "Note" },
  ...members,
  metadata: { ...members.metadata, name, namespace: "default" },
})

/** Each differs from the one before in a way that changes who owns what, or must not. */
const variants: readonly Partial<ApiObject>[] = [
  { spec: { color: "red" } },
  { spec: { color: "blue" } },
  { spec: { color: "red", size: 2 } },
  { spec: { more: {} } },
  { spec: { more: { a: "1" } } },
  { spec: { more: { b: "1" } } },
  { spec: { "11": "a" } },
  { spec: { tags: ["a"] } },
  { spec: { tags: ["b"] } },
  { spec: { tags: ["a", "b"] } },
  { spec: { tags: [] } },
  { spec: { tags: Array.from({ length: 40 }, (_, at) => `t${at}`) } },
  { spec: {} },
  {},
  { metadata: { name: "", labels: {} }, spec: { color: "red" } },
  { metadata: { name: "", labels: { a: "b" } }, spec: { color: "red" } },
  { metadata: { name: "", annotations: { a: "b" } }, spec: { color: "red" } },
  { spec: { color: "red" }, status: { a: 1 } },
]

const create = async (world: ApiWorld, object: ApiObject) =>
  (await world.verbs.create(alice, notes, object)).object.metadata.managedFields

describe("the fields of who creates", () => {
  it("are the same whatever was created before", async () => {
    const world = await openApiWorld()
    for (const round of [1, 2]) {
      for (const [at, members] of variants.entries()) {
        const fresh = await openApiWorld()
        const object = noteOf(`n-${round}-${at}`, members)
        const [alone] = (await create(fresh, object)) ?? []
        const [among] = (await create(world, object)) ?? []
        expect(among?.fieldsV1, JSON.stringify(members)).toEqual(alone?.fieldsV1)
        await fresh.close()
      }
    }
    await world.close()
  })

  it("name the manager, the version and the time of each create", async () => {
    const world = await openApiWorld()
    const make = (name: string, fieldManager: string) =>
      world.verbs.create(alice, configMaps, configMap(name, { a: "b" }), { fieldManager })
    await make("a", "first")
    const { object } = await make("b", "second")
    expect(object.metadata.managedFields).toEqual([
      {
        ...{ manager: "second", operation: "Update", apiVersion: "v1" },
        time: object.metadata.creationTimestamp,
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { ".": {}, "f:a": {} } },
      },
    ])
    await world.close()
  })

  it("follow a definition that divides a list in another way", async () => {
    const world = await openApiWorld()
    const tagged = (name: string) => noteOf(name, { spec: { tags: ["a"] } })
    const [before] = (await create(world, tagged("a"))) ?? []
    expect(JSON.stringify(before?.fieldsV1)).toContain("v:")
    const name = "notes.test.dev"
    const ref = { ...definitions, namespace: "", name }
    const current = await world.verbs.get(alice, ref)
    const text = JSON.stringify({ ...definitionOf("Note"), metadata: current?.metadata })
    const atomic = JSON.parse(text.replace('list-type":"set"', 'list-type":"atomic"')) as ApiObject
    await world.verbs.update(alice, definitions, atomic)
    const [after] = (await create(world, tagged("b"))) ?? []
    expect(JSON.stringify(after?.fieldsV1)).not.toContain("v:")
    await world.close()
  })

  it("stay bounded over any number of shapes", async () => {
    const world = await openApiWorld()
    for (let at = 0; at < 200; at++) {
      const [owned] =
        (await create(world, noteOf(`n-${at}`, { spec: { more: { [`k${at}`]: "1" } } }))) ?? []
      expect(JSON.stringify(owned?.fieldsV1)).toContain(`"f:k${at}"`)
    }
    await world.close()
  })
})
