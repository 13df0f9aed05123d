// Who owns what when writers speak different versions of a kind. The answers are those of
// kube-apiserver 1.35 to the same requests, but where the name of a test says otherwise.

import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import { type Principal, sourcePrincipal } from "../../src/contract/principal.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { alice, definitions, faultOf } from "./client-world.ts"
import { type DefinitionWorld, openDefinitionWorld } from "./definition-world.ts"
import {
  BoxConverter,
  boxDefinition,
  boxes,
  boxOf,
  packDefinition,
  versionOf,
} from "./versioned-boxes.ts"

let world: DefinitionWorld
let converter: BoxConverter
beforeEach(async () => {
  world = await openDefinitionWorld()
  converter = new BoxConverter()
  Object.assign(world.context, { callWebhook: converter.callWebhook })
  await world.create(definitions, boxDefinition())
})
afterEach(() => world.close())

interface Applying {
  readonly force?: boolean
  readonly principal?: Principal
}

async function apply(
  fieldManager: string,
  object: ApiObject,
  { force = false, principal = alice }: Applying = {},
): Promise<ApiObject> {
  const [, version = ""] = object.apiVersion.split("/")
  const ref = { ...boxes(version), resource: object.kind === "Box" ? "boxes" : "cups" }
  return (await world.verbs.apply(principal, ref, object, { fieldManager, force })).object
}

const patch = async (version: string, fieldManager: string, spec: JsonObject) => {
  const ref = { ...boxes(version), namespace: "default", name: "a" }
  return (await world.verbs.patch(alice, ref, "merge", { spec }, { fieldManager })).object
}

/** `who version` and what it owns of the spec. */
const owners = ({ metadata }: ApiObject): Record<string, unknown> =>
  Object.fromEntries(
    (metadata.managedFields ?? []).map(({ manager, apiVersion, fieldsV1 }) => [
      `${manager} ${apiVersion.split("/")[1]}`,
      Object.keys((fieldsV1?.["f:spec"] ?? {}) as JsonObject),
    ]),
  )

const read = (version: string) => world.read(boxes(version), "a")

describe("owners of a kind that a webhook converts", () => {
  test("keep a field that another version calls otherwise", async () => {
    await apply("ann", boxOf("v1", { size: 1 }))
    const fault = await faultOf(apply("bob", boxOf("v2", { count: 2 })))
    expect(fault).toMatchObject({ status: 409, reason: "Conflict" })
    expect(fault.message).toContain('1 conflict: conflict with "ann": .spec.size')
    expect((await read("v1")).spec).toEqual({ size: 1 })
  })

  test("are told with their version when they are updaters", async () => {
    await world.create(boxes("v1"), boxOf("v1", { size: 1 }))
    const fault = await faultOf(apply("bob", boxOf("v2", { count: 2 })))
    expect(fault.message).toMatch(/conflict with "alice" using pack\.dev\/v1 at .*: \.spec\.size/)
  })

  test("share it with whoever applies the same value", async () => {
    await apply("ann", boxOf("v1", { size: 1 }))
    const shared = await apply("bob", boxOf("v2", { count: 1 }))
    expect(owners(shared)).toEqual({ "ann v1": ["f:size"], "bob v2": ["f:count"] })
  })

  test("lose it to force, and only it", async () => {
    await apply("ann", boxOf("v1", { size: 1, other: "x" }))
    const forced = await apply("bob", boxOf("v2", { count: 2 }), { force: true })
    expect(forced.spec).toEqual({ count: 2, other: "x" })
    expect(owners(forced)).toEqual({ "ann v1": ["f:other"], "bob v2": ["f:count"] })
  })

  test("lose it to an update of another version", async () => {
    await apply("ann", boxOf("v1", { size: 1, other: "x" }))
    const taken = await patch("v2", "carol", { count: 5 })
    expect(owners(taken)).toEqual({ "ann v1": ["f:other"], "carol v2": ["f:count"] })
    const back = await patch("v1", "dan", { size: 6 })
    expect(owners(back)).toEqual({ "ann v1": ["f:other"], "dan v1": ["f:size"] })
  })

  test("lose it when another version removes it", async () => {
    await apply("ann", boxOf("v1", { size: 1, other: "x" }))
    const without = await patch("v2", "carol", { count: null })
    expect(without.spec).toEqual({ other: "x" })
    expect(owners(without)).toEqual({ "ann v1": ["f:other"] })
  })

  test("remove what they state no more, whatever version they now speak", async () => {
    await apply("ann", boxOf("v1", { size: 1, other: "x" }))
    const moved = await apply("ann", boxOf("v2", { other: "x" }))
    expect(moved.spec).toEqual({ other: "x" })
    expect(owners(moved)).toEqual({ "ann v2": ["f:other"] })
    expect((await read("v1")).spec).toEqual({ other: "x" })
  })

  test("keep what they still state by its other name", async () => {
    await apply("ann", boxOf("v1", { size: 1, other: "x" }))
    const moved = await apply("ann", boxOf("v2", { count: 1 }))
    expect(moved.spec).toEqual({ count: 1 })
    expect(owners(moved)).toEqual({ "ann v2": ["f:count"] })
  })

  test("remove nothing that somebody owns by its other name", async () => {
    await apply("ann", boxOf("v1", { size: 1, note: "n" }))
    await apply("bob", boxOf("v2", { count: 1 }))
    const left = await apply("ann", boxOf("v1", { note: "n" }))
    expect(left.spec).toEqual({ size: 1, note: "n" })
    expect(owners(left)).toEqual({ "ann v1": ["f:note"], "bob v2": ["f:count"] })
  })

  test("go on in a version that is not served, until the definition has it no more", async () => {
    await apply("ann", boxOf("v2", { count: 1 }))
    const live = await world.read(definitions, "boxes.pack.dev", "")
    const [v1, v2] = (live.spec?.versions ?? []) as JsonObject[]
    const versions = [v1, { ...v2, served: false }] as JsonObject[]
    await world.update(definitions, { ...live, spec: { ...live.spec, versions } })
    const fault = await faultOf(apply("bob", boxOf("v1", { size: 2 })))
    expect(fault.message).toContain('conflict with "ann": .spec.count')
  })

  test("are kept when the definition has their version no more, as Setpoint does", async () => {
    await apply("ann", boxOf("v2", { count: 1, other: "x" }))
    const live = await world.read(definitions, "boxes.pack.dev", "")
    const versions = ((live.spec?.versions ?? []) as JsonObject[]).slice(0, 1)
    await world.update(definitions, { ...live, spec: { ...live.spec, versions } })
    const other = await faultOf(apply("bob", boxOf("v1", { other: "y" })))
    expect(other.message).toContain('conflict with "ann": .spec.other')
    const changed = await patch("v1", "carol", { note: "n" })
    expect(owners(changed)).toMatchObject({ "ann v2": ["f:count", "f:other"] })
  })
})

describe("what a source declared in one version", () => {
  const source = sourcePrincipal("default.site")
  beforeEach(async () => {
    await apply(source.name, boxOf("v1", { size: 1 }), { principal: source })
  })

  test("is its own in every version, also against force", async () => {
    const forced = apply("bob", boxOf("v2", { count: 2 }), { force: true })
    expect(await faultOf(forced)).toMatchObject({ code: "SPT-API-016", status: 409 })
    expect(await faultOf(patch("v2", "bob", { count: 2 }))).toMatchObject({ code: "SPT-API-016" })
    expect((await read("v2")).spec).toEqual({ count: 1 })
  })

  test("leaves the rest to others", async () => {
    const added = await patch("v2", "bob", { note: "n" })
    expect(added.spec).toEqual({ count: 1, note: "n" })
  })
})

describe("the webhook that converts", () => {
  test("is not asked about owners when all speak the version that is stored", async () => {
    await apply("ann", boxOf("v1", { size: 1 }))
    await faultOf(apply("bob", boxOf("v1", { size: 2 })))
    await apply("bob", boxOf("v1", { size: 2 }), { force: true })
    await patch("v1", "carol", { other: "x" })
    expect(converter.asked).toBe(0)
  })

  test("fails the write that needs it with its reason, and nothing is written", async () => {
    await apply("ann", boxOf("v1", { size: 1 }))
    await apply("bob", boxOf("v2", { other: "x" }))
    const before = await read("v1")
    converter.fails = true
    for (const write of [
      apply("ann", boxOf("v1", { size: 2 })),
      apply("carol", boxOf("v1", { note: "n" }), { force: true }),
      patch("v1", "carol", { size: 3 }),
    ]) {
      const fault = await faultOf(write)
      expect(fault).toMatchObject({ status: 500, reason: "InternalError" })
      expect(fault.message).toContain("not today")
    }
    expect(await read("v1")).toEqual(before)
  })
})

describe("owners of versions with other schemas and no webhook", () => {
  const item = {
    type: "object",
    required: ["name"],
    properties: { name: { type: "string" }, value: { type: "string" } },
  }
  const list = { type: "array", items: item }
  const keyed = {
    ...list,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
  }
  const number = { type: "integer" }
  const cup = (version: string, spec: JsonObject): ApiObject => ({
    ...boxOf(version, spec),
    kind: "Cup",
  })

  beforeEach(async () => {
    const versions = [
      versionOf("v1", { size: number, old: number, items: list }, { storage: true }),
      versionOf("v2", { size: number, items: keyed }),
    ]
    await world.create(definitions, packDefinition("cups", "Cup", versions))
  })

  test("are compared in the schema of their version", async () => {
    await apply("ann", cup("v1", { items: [{ name: "a" }] }))
    const fault = await faultOf(apply("bob", cup("v2", { items: [{ name: "b" }] })))
    expect(fault.message).toContain('conflict with "ann": .spec.items')
    const forced = await apply("bob", cup("v2", { items: [{ name: "b" }] }), { force: true })
    expect(forced.spec).toEqual({ items: [{ name: "a" }, { name: "b" }] })
    expect(owners(forced)).toEqual({ "bob v2": ["f:items"] })
  })

  test("of keyed items lose those that a whole list left out", async () => {
    await apply("eve", cup("v2", { items: [{ name: "a" }, { name: "b" }], size: 1 }))
    const whole = await apply("ann", cup("v1", { items: [{ name: "a" }] }), { force: true })
    expect(whole.spec).toEqual({ items: [{ name: "a" }], size: 1 })
    const entry = whole.metadata.managedFields?.find(({ manager }) => manager === "eve")
    expect(entry?.fieldsV1).toEqual({
      "f:spec": { "f:size": {}, "f:items": { 'k:{"name":"a"}': { ".": {}, "f:name": {} } } },
    })
  })

  // Kubernetes answers 500 (field not declared in schema), and drops all owners at an update.
  test("go on where another version has fields that theirs has not", async () => {
    await apply("eve", cup("v2", { size: 1 }))
    const more = await apply("ann", cup("v1", { old: 7 }))
    expect(owners(more)).toEqual({ "ann v1": ["f:old"], "eve v2": ["f:size"] })
    const fault = await faultOf(apply("ann", cup("v1", { old: 7, size: 2 })))
    expect(fault.message).toContain('conflict with "eve": .spec.size')
  })
})
