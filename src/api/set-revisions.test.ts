// Objects that go together each have a revision of their own, as if one went after the other:
// clients resume a watch after the last revision that they saw.

import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  configMap,
  configMaps,
  loops,
  namespaceNamed,
  namespaces,
  note,
  notes,
  openApiWorld,
  thing,
  things,
} from "../../test/conformance/client-world.ts"
import type { ApiObject, ResourceRef } from "../object/object.ts"

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
})
afterEach(() => world.close())

const make = async (object: ApiObject, resource: ResourceRef = notes) =>
  (await world.verbs.create(alice, resource, object)).object

const owned = (object: ApiObject, { apiVersion, kind, metadata }: ApiObject): ApiObject => {
  const { name, uid = "" } = metadata
  const ownerReferences = [{ apiVersion, kind, name, uid }]
  return { ...object, metadata: { ...object.metadata, ownerReferences } }
}

const inside = (namespace: string, object: ApiObject): ApiObject => {
  return { ...object, metadata: { ...object.metadata, namespace } }
}

/** "revision kind name" of every change of objects since, none of which shares its revision. */
async function changesSince(after: number): Promise<string[]> {
  const changes: string[] = []
  const signal = AbortSignal.timeout(20_000)
  const end = world.store.revision
  for await (const event of world.store.watch({ prefix: "/registry/", after, signal })) {
    if (event.kind !== "changes") throw new Error(event.kind)
    expect(event.changes).toHaveLength(1)
    const [{ kind, key } = { kind: "", key: "" }] = event.changes
    changes.push(`${event.revision - after} ${kind} ${key.split("/").slice(3).join("/")}`)
    if (event.revision >= end) break
  }
  return changes
}

describe("objects that go in one commit", () => {
  it("have their own revisions in a deletecollection and in its answer", async () => {
    for (const name of ["a", "b", "c"]) await make(note(name))
    for (const name of ["d", "e"]) await make(thing(name), things)
    const before = world.store.revision
    const gone = await world.verbs.deleteCollection(alice, notes)
    const marked = await world.verbs.deleteCollection(alice, things)
    const versions = [...gone.items, ...marked.items].map(({ metadata }) => metadata)
    expect(versions.map(({ resourceVersion }) => Number(resourceVersion) - before)).toEqual([
      1, 2, 3, 4, 5,
    ])
    expect(await changesSince(before)).toEqual([
      "1 delete notes/default/a",
      "2 delete notes/default/b",
      "3 delete notes/default/c",
      "4 put things/default/d",
      "5 put things/default/e",
    ])
  })

  it("go owner first and then dependents, as in Kubernetes", async () => {
    const owner = await make(note("owner"))
    for (const name of ["a", "b"]) await make(owned(note(name), owner))
    const before = world.store.revision
    const ref = { ...notes, namespace: "default", name: "owner" }
    const { object } = await world.verbs.delete(alice, ref)
    expect(object.metadata.resourceVersion).toBe(String(before + 1))
    expect(await changesSince(before)).toEqual([
      "1 delete notes/default/owner",
      "2 delete notes/default/a",
      "3 delete notes/default/b",
    ])
  })

  it("lose their reference before an owner goes that leaves them behind", async () => {
    const owner = await make(note("owner"))
    await make(owned(note("a"), owner))
    const before = world.store.revision
    const ref = { ...notes, namespace: "default", name: "owner" }
    await world.verbs.delete(alice, ref, { propagationPolicy: "Orphan" })
    expect(await changesSince(before)).toEqual([
      "1 put notes/default/a",
      "2 delete notes/default/owner",
    ])
  })

  it("go before their namespace does", async () => {
    await make(namespaceNamed("site"), namespaces)
    const loop = { apiVersion: "setpoint.dev/v1alpha1", kind: "Loop", metadata: { name: "one" } }
    await make(inside("site", { ...loop, spec: { mode: "Observe" } }), loops)
    for (const name of ["a", "b"]) await make(inside("site", configMap(name)), configMaps)
    const before = world.store.revision
    await world.verbs.delete(alice, { ...namespaces, namespace: "", name: "site" })
    expect(await changesSince(before)).toEqual([
      "1 put namespaces/-/site",
      "2 delete configmaps/site/a",
      "3 delete configmaps/site/b",
      "4 delete loops/site/one",
      "5 delete namespaces/-/site",
    ])
  })
})
