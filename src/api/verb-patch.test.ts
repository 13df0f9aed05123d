import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  configMap,
  configMaps,
  faultOf,
  note,
  notes,
  openApiWorld,
} from "../../test/conformance/client-world.ts"
import type { Json } from "../base/json.ts"
import type { PatchType } from "../contract/client.ts"

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
})
afterEach(() => world.close())

const target = { ...configMaps, namespace: "default", name: "a" }
const noteRef = { ...notes, namespace: "default", name: "a" }
const leases = { group: "coordination.k8s.io", version: "v1", resource: "leases" }

const patch = (type: PatchType, change: Json) => world.verbs.patch(alice, target, type, change)

describe("patch", () => {
  it("merges finalizers and owners of built-in kinds strategically", async () => {
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "1" }
    const made = configMap("a", { k: "v", other: "w" })
    const metadata = { ...made.metadata, finalizers: ["a.dev/x"], ownerReferences: [owner] }
    await world.verbs.create(alice, configMaps, { ...made, metadata })
    const { object } = await patch("strategic", {
      metadata: {
        finalizers: ["a.dev/y"],
        ownerReferences: [
          { ...owner, uid: "2" },
          { $patch: "delete", uid: "1" },
        ],
      },
      data: { k: null },
    })
    expect(object).toMatchObject({ data: { other: "w" } })
    expect(object.metadata.finalizers).toEqual(["a.dev/y", "a.dev/x"])
    expect(object.metadata.ownerReferences).toEqual([{ ...owner, uid: "2" }])
    const less = await patch("strategic", {
      metadata: { "$deleteFromPrimitiveList/finalizers": ["a.dev/x"] },
    })
    expect(less.object.metadata.finalizers).toEqual(["a.dev/y"])
  })

  it("refuses a strategic merge of other kinds as a format it does not know", async () => {
    await world.verbs.create(alice, notes, note("a"))
    const change = { spec: { color: "red" } }
    const fault = await faultOf(world.verbs.patch(alice, noteRef, "strategic", change))
    expect(fault).toMatchObject({ status: 415, reason: "UnsupportedMediaType" })
  })

  it.each<[string, PatchType, Json, number, string]>([
    ["a failing test", "json", [{ op: "test", path: "/data/k", value: "x" }], 422, "test failed"],
    ["a missing path", "json", [{ op: "remove", path: "/data/z" }], 422, "no such path"],
    ["what is no list", "json", { op: "add" }, 400, "list of operations"],
    ["what is no object", "merge", [], 400, "is an object"],
    ["an unknown directive", "strategic", { data: { $patch: "x" } }, 400, "unknown patch type"],
    ["another name", "merge", { metadata: { name: "b" } }, 400, "does not match the name"],
    ["another uid", "merge", { metadata: { uid: "1" } }, 422, "field is immutable"],
    [
      "a mark of deletion",
      "merge",
      { metadata: { deletionTimestamp: "2020-01-01T00:00:00Z" } },
      422,
      "metadata.deletionTimestamp",
    ],
    ["a stale version", "merge", { metadata: { resourceVersion: "1" } }, 409, "has been modified"],
  ])("refuses %s", async (_, type, change, status, text) => {
    await world.verbs.create(alice, configMaps, configMap("a", { k: "v" }))
    const fault = await faultOf(patch(type, change))
    expect(fault.status).toBe(status)
    expect(fault.message).toContain(text)
  })

  it("refuses more operations than are allowed with 413, and makes nothing new", async () => {
    const many = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/a" }))
    expect((await faultOf(patch("json", many))).status).toBe(413)
    expect((await faultOf(patch("merge", { data: { k: "v" } }))).status).toBe(404)
  })
})

describe("update", () => {
  it("makes what is missing only where the kind allows it", async () => {
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "a", namespace: "default" },
      spec: { holderIdentity: "me" },
    }
    const made = await world.verbs.update(alice, leases, lease)
    expect(made).toMatchObject({ created: true, object: { spec: { holderIdentity: "me" } } })
    const missing = await faultOf(world.verbs.update(alice, configMaps, configMap("z")))
    expect(missing.status).toBe(404)
  })

  it("needs the version, unless the kind is used to be overwritten", async () => {
    await world.verbs.create(alice, notes, note("a"))
    const blind = await faultOf(world.verbs.update(alice, notes, note("a", { color: "red" })))
    expect(blind).toMatchObject({ status: 422, reason: "Invalid" })
    expect(blind.message).toContain("metadata.resourceVersion: Invalid value: 0: must be specified")
    await world.verbs.create(alice, configMaps, configMap("a", { k: "v" }))
    const { object } = await world.verbs.update(alice, configMaps, configMap("a", { k: "w" }))
    expect(object).toMatchObject({ data: { k: "w" } })
  })

  it("refuses another object of the same name, and says which", async () => {
    await world.verbs.create(alice, configMaps, configMap("a"))
    const other = configMap("a")
    const metadata = { ...other.metadata, uid: "other" }
    const fault = await faultOf(world.verbs.update(alice, configMaps, { ...other, metadata }))
    expect(fault).toMatchObject({ status: 409, reason: "Conflict" })
    expect(fault.message).toContain("Precondition failed: UID in precondition: other")
  })
})

describe("owners and finalizers", () => {
  const owner = { apiVersion: "v1", kind: "A", name: "a", uid: "1" }
  const withOwners = (...ownerReferences: object[]) => {
    const made = configMap("a")
    return { ...made, metadata: { ...made.metadata, ownerReferences } } as typeof made
  }

  it("count an owner that is there twice once, and warn", async () => {
    const twice = withOwners(owner, owner)
    const { object, warnings } = await world.verbs.create(alice, configMaps, twice)
    expect(object.metadata.ownerReferences).toEqual([owner])
    expect(warnings.join()).toContain("duplicate UID(s) observed: 1")
  })

  it("refuse two controllers, and new finalizers on what is being deleted", async () => {
    const both = withOwners(
      { ...owner, controller: true },
      { ...owner, uid: "2", name: "b", controller: true },
    )
    const two = await faultOf(world.verbs.create(alice, configMaps, both))
    expect(two.status).toBe(422)
    expect(two.message).toContain('Found "true" in references for A/a and A/b')
    const kept = configMap("a")
    const metadata = { ...kept.metadata, finalizers: ["a.dev/x"] }
    await world.verbs.create(alice, configMaps, { ...kept, metadata })
    await world.verbs.delete(alice, target)
    const more = { metadata: { finalizers: ["a.dev/x", "a.dev/y"] } }
    const fault = await faultOf(patch("merge", more))
    expect(fault.status).toBe(422)
    expect(fault.message).toContain('found new finalizers []string{"a.dev/y"}')
  })
})

describe("fields that are unknown or there twice", () => {
  const wrong = { ...note("a", { color: "red", zzz: 1 }) }
  const duplicates = ["spec.color"]

  it("are refused together when strict", async () => {
    const options = { fieldValidation: "Strict", duplicates } as const
    const fault = await faultOf(world.verbs.create(alice, notes, wrong, options))
    expect(fault).toMatchObject({ status: 400, reason: "BadRequest" })
    expect(fault.message).toBe(
      'Note in version "v1" cannot be handled as a Note: ' +
        'strict decoding error: duplicate field "spec.color", unknown field "spec.zzz"',
    )
  })

  it("are warned of by default, and passed over on demand", async () => {
    const { object, warnings } = await world.verbs.create(alice, notes, wrong, { duplicates })
    expect(object.spec).toMatchObject({ color: "red" })
    expect(object.spec).not.toHaveProperty("zzz")
    expect(warnings).toEqual(['duplicate field "spec.color"', 'unknown field "spec.zzz"'])
    const metadata = { ...wrong.metadata, name: "b" }
    const options = { fieldValidation: "Ignore", duplicates } as const
    const silent = await world.verbs.create(alice, notes, { ...wrong, metadata }, options)
    expect(silent.warnings).toEqual([])
  })
})
