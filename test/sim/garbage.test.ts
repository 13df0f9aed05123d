import { afterEach, describe, expect, it } from "vitest"
import { decodeObject, encodeObject } from "../../src/api/codec.ts"
import { namespaceKey } from "../../src/api/namespace-exists.ts"
import { storageKey } from "../../src/api/storage-keys.ts"
import type { ApiObject, OwnerReference } from "../../src/object/object.ts"
import { ann, names, Site, widget, widgets } from "./site.ts"

const configMaps = { group: "", version: "v1", resource: "configmaps" } as const
const accounts = { group: "", version: "v1", resource: "serviceaccounts" } as const
const namespaces = { group: "", version: "v1", resource: "namespaces" } as const
const events = { group: "", version: "v1", resource: "events" } as const

const map = (name: string, owners: readonly OwnerReference[] = []): ApiObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", ownerReferences: owners },
})

function ownerOf({ apiVersion, kind, metadata }: ApiObject): OwnerReference {
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? "",
    blockOwnerDeletion: true,
  }
}

const lost: OwnerReference = { apiVersion: "v1", kind: "ConfigMap", name: "none", uid: "none" }

let site: Site | undefined
afterEach(() => {
  expect(site?.sim.errors).toEqual([])
})

async function open(): Promise<Site> {
  site = await Site.open({ source: false })
  return site
}

describe("the garbage collector of a plane", () => {
  it("removes what is made after its owner went, also right before a restart", async () => {
    const plane = await open()
    const client = plane.as(ann)
    await plane.run(client.create(configMaps, map("late", [lost])))
    await plane.restart()
    await plane.clock.advance(5000)
    const ref = { ...configMaps, namespace: "default", name: "late" }
    expect(await plane.run(plane.as(ann).get(ref))).toBeUndefined()
  })

  it("keeps an owner waiting over a restart, and ends it with its last dependent", async () => {
    const plane = await open()
    const client = plane.as(ann)
    const owner = await plane.run(client.create(configMaps, map("owner")))
    const child = map("child", [ownerOf(owner)])
    const held = { ...child, metadata: { ...child.metadata, finalizers: ["test.dev/wait"] } }
    await plane.run(client.create(configMaps, held))
    const ref = (name: string) => ({ ...configMaps, namespace: "default", name })
    await plane.run(client.delete(ref("owner"), { propagationPolicy: "Foreground" }))
    await plane.restart()
    expect(await plane.run(plane.as(ann).get(ref("owner")))).toBeDefined()
    const patch = { metadata: { finalizers: null } }
    await plane.run(plane.as(ann).patch(ref("child"), "merge", patch))
    await plane.clock.advance(5000)
    expect(await plane.run(plane.as(ann).get(ref("owner")))).toBeUndefined()
  })

  it("goes on emptying a namespace when the plane ended in the middle of it", async () => {
    const plane = await open()
    const client = plane.as(ann)
    const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } }
    await plane.run(client.create(namespaces, space))
    const { metadata, ...rest } = map("left")
    await plane.run(
      client.create(configMaps, { ...rest, metadata: { ...metadata, namespace: "team" } }),
    )
    // As it is when what nothing hangs on goes in parts: marked, and not empty yet.
    const { store } = plane.sim.plane.ports
    const key = storageKey(namespaceKey("team"))
    const entry = await plane.run(store.get(key))
    if (entry === undefined || !("value" in entry)) throw new Error("no namespace")
    const object = decodeObject(entry.value, entry.modRevision)
    const marked = { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" }
    const value = encodeObject({ ...object, metadata: marked })
    await plane.run(store.commit([], [{ kind: "put", key, value }]))
    await plane.restart()
    const ref = { ...namespaces, namespace: "", name: "team" }
    expect(await plane.run(plane.as(ann).get(ref))).toBeUndefined()
    const left = { ...configMaps, namespace: "team", name: "left" }
    expect(await plane.run(plane.as(ann).get(left))).toBeUndefined()
  })

  it("destroys no target by itself: a protected object with a lost owner stays", async () => {
    const plane = await open()
    const client = plane.as(ann)
    const { metadata, ...rest } = widget("w")
    const annotations = { "setpoint.dev/protect": "true" }
    const own = { ...metadata, namespace: "default", annotations, ownerReferences: [lost] }
    await plane.run(client.create(widgets, { ...rest, metadata: own }))
    await plane.clock.advance(20_000)
    expect(plane.there()).toEqual(["w"])
    expect(plane.plans("Pending")).toHaveLength(1)
  })

  it("says when an object names an owner that it can't have", async () => {
    const plane = await open()
    const client = plane.as(ann)
    const owner = await plane.run(client.create(configMaps, map("owner")))
    const space = { name: "team", ownerReferences: [ownerOf(owner)] }
    const object = { apiVersion: "v1", kind: "Namespace", metadata: space }
    await plane.run(client.create(namespaces, object))
    await plane.clock.advance(5000)
    const { items } = await plane.run(client.list(events))
    expect(items.map(({ reason }) => reason)).toContain("OwnerRefInvalidNamespace")
  })
})

describe("what every namespace has", () => {
  it("comes back when it is deleted, goes with the namespace, and no guard counts it", async () => {
    const plane = await open()
    const client = plane.as(ann)
    for (const name of names(3)) {
      const { metadata, ...rest } = widget(name)
      const object = { ...rest, metadata: { ...metadata, namespace: "default" } }
      await plane.run(client.create(widgets, object))
    }
    await plane.clock.advance(10_000)
    expect(plane.sim.plane.engine.ledger.inventory.size(plane.loopId)).toBe(3)
    const account = { ...accounts, namespace: "default", name: "default" }
    const first = await plane.run(client.get(account))
    await plane.run(client.delete(account))
    await plane.clock.advance(5000)
    const second = await plane.run(client.get(account))
    expect(second?.metadata.uid).not.toBe(first?.metadata.uid)
    const team = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } }
    await plane.run(client.create(namespaces, team))
    await plane.clock.advance(5000)
    expect(await plane.run(client.get({ ...account, namespace: "team" }))).toBeDefined()
    await plane.run(client.delete({ ...namespaces, namespace: "", name: "team" }))
    await plane.clock.advance(5000)
    const left = await plane.run(client.list(accounts))
    expect(left.items.map(({ metadata }) => metadata.namespace)).not.toContain("team")
    expect(plane.plans()).toEqual([])
  })

  it("is a loop for those of Kubernetes only where something has a target", async () => {
    const plane = await open()
    const ids = () => plane.sim.plane.loops.all().map(({ id }) => id)
    expect(ids().filter((id) => id.startsWith("kube-"))).toEqual([])
    const { metadata, ...rest } = widget("w")
    const object = { ...rest, metadata: { ...metadata, namespace: "kube-system" } }
    await plane.run(plane.as(ann).create(widgets, object))
    await plane.clock.advance(10_000)
    expect(ids()).toContain("kube-system.default")
    expect(plane.there()).toEqual(["w"])
  })
})
