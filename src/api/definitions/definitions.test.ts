import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  definitionOf,
  definitions,
  faultOf,
  loops,
  openApiWorld,
  thing,
  things,
} from "../../../test/conformance/client-world.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import { enginePrincipal, sourcePrincipal } from "../../contract/principal.ts"
import { type ApiObject, loopLabel, targetFinalizer } from "../../object/object.ts"
import { openApi } from "../verbs.ts"

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
})
afterEach(() => world.close())

const loop = (name: string, spec?: ApiObject["spec"]): ApiObject => ({
  apiVersion: "setpoint.dev/v1alpha1",
  kind: "Loop",
  metadata: { name, namespace: "default" },
  ...(spec === undefined ? {} : { spec }),
})

describe("Loop", () => {
  it("is safe by default", async () => {
    const { object } = await world.verbs.create(alice, loops, loop("site"))
    expect(object.spec).toEqual({
      mode: "Observe",
      interval: "5m",
      limits: { deletes: 5, deletesPercent: 10, changes: 50, window: "10m", shrinkPercent: 50 },
      onEmpty: "Hold",
      onDrift: "Correct",
      onConflict: "Hold",
      onVanish: "Hold",
      paths: [],
      windows: [],
      approvals: { required: 1, separateAuthor: false, approvers: [], expiresAfter: "7d" },
      cleanRounds: 3,
      sourceMaxAge: "1h",
      deletionDeadline: "1h",
    })
  })

  it("refuses modes, limits and durations that mean nothing", async () => {
    for (const [spec, field] of [
      [{ mode: "Maybe" }, "spec.mode"],
      [{ interval: "soon" }, "spec.interval"],
      [{ interval: "0s" }, "spec.interval"],
      [{ limits: { window: "9999999d" } }, "spec.limits.window"],
      [{ limits: { deletes: -1 } }, "spec.limits.deletes"],
      [{ limits: { deletesPercent: 101 } }, "spec.limits.deletesPercent"],
      [{ source: { directory: {} } }, "spec.source.directory.path"],
    ] as const) {
      const fault = await faultOf(world.verbs.create(alice, loops, loop("site", spec)))
      expect(fault).toMatchObject({ status: 422 })
      expect(JSON.parse(fault.details.causes ?? "")[0].field).toBe(field)
    }
  })

  it("has an id that fits a label", async () => {
    const fault = await faultOf(world.verbs.create(alice, loops, loop("x".repeat(60))))
    expect(fault).toMatchObject({ status: 422 })
  })
})

describe("a definition", () => {
  it("says that it is established and by which names it is found", async () => {
    const ref = { ...definitions, namespace: "", name: "things.test.dev" }
    const stored = await world.verbs.get(alice, ref)
    expect(stored?.status).toMatchObject({
      conditions: [
        { type: "NamesAccepted", status: "True" },
        { type: "Established", status: "True" },
      ],
      storedVersions: ["v1"],
    })
    for (const name of ["things", "thing", "Thing", "TH", "things.test.dev", "Thing.test.dev"]) {
      expect(world.registry.lookup(name).map(({ resource }) => resource)).toEqual(["things"])
    }
    expect(world.registry.lookup("none")).toEqual([])
  })

  it("is refused when its schema, name, scope or storage version is wrong", async () => {
    const good = definitionOf("Gadget")
    const versions = (more: object) => [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: more } },
    ]
    const loose = { type: "object", properties: { spec: { properties: {} } } }
    const bad: ApiObject[] = [
      { ...good, spec: { ...good.spec, versions: versions(loose) } } as ApiObject,
      { ...good, metadata: { name: "wrong.test.dev" } },
      { ...good, spec: { ...good.spec, versions: [{ name: "v1", served: true, storage: false }] } },
      { ...good, spec: { ...good.spec, scope: "Everywhere" } },
    ]
    for (const definition of bad) {
      const fault = await faultOf(world.verbs.create(alice, definitions, definition))
      expect(fault).toMatchObject({ status: 422, reason: "Invalid" })
    }
    expect(world.registry.lookup("gadget")).toEqual([])
  })

  it("is stored but not served when another has its names", async () => {
    const other = definitionOf("Thing")
    const names = { plural: "thingies", singular: "thingy", kind: "Thing" }
    const clash = { ...other, metadata: { name: "thingies.test.dev" } }
    const { object } = await world.verbs.create(alice, definitions, {
      ...clash,
      spec: { ...other.spec, names },
    })
    expect(object.status).toMatchObject({
      conditions: [
        { type: "NamesAccepted", status: "False" },
        { type: "Established", status: "False" },
      ],
    })
    expect(world.registry.lookup("thingies")).toEqual([])
  })

  it("of another writer is served as soon as its commit is seen", async () => {
    const other = await openApi({
      store: world.store,
      clock: systemClock,
      random: systemRandom,
      judge: { judge: async () => ({ kind: "denied", reasons: [] }) },
      hasProvider: () => false,
    })
    try {
      expect(other.registry.lookup("things")).toHaveLength(1)
      await world.verbs.create(alice, definitions, definitionOf("Gadget"))
      await expect.poll(() => other.registry.lookup("gadget")).toHaveLength(1)
      const gone = { ...definitions, namespace: "", name: "gadgets.test.dev" }
      await world.verbs.delete(alice, gone)
      await expect.poll(() => other.registry.lookup("gadget")).toHaveLength(0)
    } finally {
      await other.close()
    }
  })

  it("made stricter does not lock in objects that were fine before", async () => {
    await world.verbs.create(alice, things, thing("a", { size: 90 }))
    const ref = { ...definitions, namespace: "", name: "things.test.dev" }
    const patch = [
      {
        op: "replace",
        path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/maximum",
        value: 50,
      },
    ]
    await world.verbs.patch(alice, ref, "json", patch)
    const target = { ...things, namespace: "default", name: "a" }
    await world.verbs.patch(alice, target, "merge", { spec: { color: "red" } })
    const grown = world.verbs.patch(alice, target, "merge", { spec: { size: 91 } })
    expect(await faultOf(grown)).toMatchObject({ status: 422 })
  })
})

describe("objects with targets", () => {
  it("get label and finalizer also when the engine makes them", async () => {
    const { object } = await world.verbs.create(enginePrincipal, things, thing("a"))
    expect(object.metadata.labels?.[loopLabel]).toBe("default.default")
    expect(object.metadata.finalizers).toEqual([targetFinalizer])
  })

  it("are not taken over by another source", async () => {
    await world.verbs.create(alice, things, thing("a"))
    const source = sourcePrincipal("default.site")
    const options = { fieldManager: source.name }
    const fault = await faultOf(world.verbs.apply(source, things, thing("a"), options))
    expect(fault).toMatchObject({ code: "SPT-API-027", status: 409 })
    expect(fault.message).toContain("default.default")
  })
})
