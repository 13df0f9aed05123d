import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  definitions,
  faultOf,
  notes,
  openApiWorld,
} from "../../test/conformance/client-world.ts"
import type { JsonObject } from "../base/json.ts"
import { sourcePrincipal } from "../contract/principal.ts"
import type { ApiObject } from "../object/object.ts"

const fleets = { group: "scale.dev", version: "v1", resource: "fleets" }
const ref = { ...fleets, namespace: "default", name: "a" }

const number = { type: "integer" }
const definition: ApiObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "fleets.scale.dev" },
  spec: {
    group: "scale.dev",
    scope: "Namespaced",
    names: { plural: "fleets", singular: "fleet", kind: "Fleet" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.pool.size",
            statusReplicasPath: ".status.size",
            labelSelectorPath: ".status.selector",
          },
        },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { pool: { type: "object", properties: { size: number } } },
              },
              status: {
                type: "object",
                properties: { size: number, selector: { type: "string" } },
              },
            },
          },
        },
      },
    ],
  },
}

const fleet = (spec: JsonObject): ApiObject => ({
  apiVersion: "scale.dev/v1",
  kind: "Fleet",
  metadata: { name: "a", namespace: "default" },
  spec,
})

const scaleTo = (replicas: number, metadata: object = {}): ApiObject => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "a", namespace: "default", ...metadata },
  spec: { replicas },
})

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
  await world.verbs.create(alice, definitions, definition)
})
afterEach(() => world.close())

const make = (size: number) =>
  world.verbs.create(alice, fleets, fleet({ pool: { size } }), { fieldManager: "maker" })

describe("the scale of an object", () => {
  it("is read from where its definition says", async () => {
    const { object } = await make(2)
    const status = { size: 1, selector: "app=a" }
    await world.verbs.updateStatus(alice, fleets, { ...object, status })
    expect(await world.verbs.scale.get(alice, ref)).toMatchObject({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "a", uid: object.metadata.uid },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: "app=a" },
    })
  })

  it("is put and patched, and the number belongs to whoever scaled", async () => {
    await make(2)
    const options = { fieldManager: "scaler" }
    const put = await world.verbs.scale.update(alice, ref, scaleTo(3), options)
    expect(put.object.spec).toEqual({ replicas: 3 })
    const merge = { spec: { replicas: 4 } }
    await world.verbs.scale.patch(alice, ref, "merge", merge, options)
    const json = [{ op: "replace", path: "/spec/replicas", value: 0 }]
    const last = await world.verbs.scale.patch(alice, ref, "json", json, options)
    expect(last.object.spec).toEqual({})
    const object = await world.verbs.get(alice, ref)
    expect(object?.spec).toEqual({ pool: { size: 0 } })
    expect(object?.metadata.generation).toBe(4)
    const owner = object?.metadata.managedFields?.find(({ manager }) => manager === "scaler")
    expect(owner).toMatchObject({
      operation: "Update",
      subresource: "scale",
      apiVersion: "scale.dev/v1",
      fieldsV1: { "f:spec": { "f:pool": { "f:size": {} } } },
    })
  })

  it("is applied with conflicts as any field", async () => {
    await make(2)
    const options = { fieldManager: "scaler" }
    const fault = await faultOf(world.verbs.scale.apply(alice, ref, scaleTo(5), options))
    expect(fault).toMatchObject({ status: 409, reason: "Conflict" })
    expect(fault.message).toContain('conflict with "maker" using scale.dev/v1')
    const forced = { ...options, force: true }
    const { object } = await world.verbs.scale.apply(alice, ref, scaleTo(5), forced)
    expect(object.spec).toEqual({ replicas: 5 })
    const again = await world.verbs.scale.apply(alice, ref, scaleTo(5), options)
    expect(again.changed).toBe(false)
  })

  it("never takes the number over from a source", async () => {
    const source = sourcePrincipal("default.site")
    const declared = fleet({ pool: { size: 2 } })
    await world.verbs.apply(source, fleets, declared, { fieldManager: source.name })
    const attempts = [
      world.verbs.scale.update(alice, ref, scaleTo(3)),
      world.verbs.scale.patch(alice, ref, "merge", { spec: { replicas: 3 } }),
      world.verbs.scale.apply(alice, ref, scaleTo(3), { fieldManager: "x", force: true }),
    ]
    for (const attempt of attempts) {
      const fault = await faultOf(attempt)
      expect(fault).toMatchObject({ status: 409, code: "SPT-API-016" })
    }
    expect((await world.verbs.get(alice, ref))?.spec).toEqual({ pool: { size: 2 } })
  })

  it("heeds versions and identity, and a trial stores nothing", async () => {
    const { object } = await make(2)
    const scale = (metadata: object) => world.verbs.scale.update(alice, ref, scaleTo(3, metadata))
    expect((await faultOf(scale({ resourceVersion: "1" }))).status).toBe(409)
    expect((await faultOf(scale({ uid: "other" }))).status).toBe(409)
    const trial = await world.verbs.scale.update(alice, ref, scaleTo(3), { dryRun: true })
    expect(trial.object.spec).toEqual({ replicas: 3 })
    expect(await world.verbs.get(alice, ref)).toEqual(object)
  })

  it("refuses what is no number of replicas, and kinds without a scale", async () => {
    await make(2)
    const negative = await faultOf(world.verbs.scale.update(alice, ref, scaleTo(-1)))
    expect(negative).toMatchObject({ status: 422, reason: "Invalid" })
    expect(negative.message).toContain("should be a non-negative integer")
    const wrong = { ...scaleTo(1), kind: "Fleet" }
    expect((await faultOf(world.verbs.scale.update(alice, ref, wrong))).status).toBe(400)
    const strategic = world.verbs.scale.patch(alice, ref, "strategic", { spec: { replicas: 1 } })
    expect((await faultOf(strategic)).status).toBe(415)
    const other = { ...notes, namespace: "default", name: "a" }
    expect((await faultOf(world.verbs.scale.get(alice, other))).status).toBe(404)
  })
})
