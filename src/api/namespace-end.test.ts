import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  configMaps,
  faultOf,
  namespaceNamed,
  namespaces,
  note,
  notes,
  openApiWorld,
  thing,
  things,
} from "../../test/conformance/client-world.ts"
import { disarm } from "../base/protections.ts"
import { enginePrincipal } from "../contract/principal.ts"
import { finalizeNamespace } from "./verb-finalize.ts"

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
  await world.verbs.create(alice, namespaces, namespaceNamed("team"))
})
afterEach(() => world.close())

const team = { ...namespaces, namespace: "", name: "team" }
const read = () => world.verbs.get(alice, team)
const inTeam = (finalizers: string[] = []) => {
  const { metadata, ...rest } = note("a")
  return { ...rest, metadata: { ...metadata, namespace: "team", finalizers } }
}
const phaseOf = async (type: string) => {
  const conditions = (await read())?.status?.conditions
  const all = Array.isArray(conditions) ? conditions : []
  return all.find(
    (one) => one !== null && typeof one === "object" && "type" in one && one.type === type,
  )
}

describe("a delete of a namespace that asks to keep what is in it", () => {
  const held = { kind: "held", plan: "p-1", reasons: [] } as const
  const target = () => {
    const { metadata, ...rest } = thing("kept")
    return { ...rest, metadata: { ...metadata, namespace: "team" } }
  }
  const ask = (propagationPolicy?: "Orphan") =>
    world.verbs.delete(alice, team, propagationPolicy === undefined ? {} : { propagationPolicy })

  it("is judged with all of it, and marks nothing when that is held", async () => {
    await world.verbs.create(alice, things, target())
    world.judgeWith(() => held)
    expect(await faultOf(ask("Orphan"))).toMatchObject({ status: 403 })
    const finalizers = { metadata: { finalizers: ["orphan"] } }
    await world.verbs.patch(alice, team, "merge", finalizers)
    expect(await faultOf(ask())).toMatchObject({ status: 403 })
    expect((await read())?.metadata.deletionTimestamp).toBeUndefined()
  })

  it("[twin] ends the namespace unjudged without the protection", async () => {
    await world.verbs.create(alice, things, target())
    world.judgeWith(() => held)
    const rearm = disarm("namespaces-take-all-along")
    try {
      await ask("Orphan")
    } finally {
      rearm()
    }
    expect((await read())?.metadata.deletionTimestamp).toBeDefined()
  })
})

describe("a namespace", () => {
  it("is Active, named by a label, and kept by its content", async () => {
    expect(await read()).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": "team" } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    })
    const stripped = await world.verbs.patch(alice, team, "merge", {
      metadata: { labels: null },
      spec: { finalizers: [] },
    })
    expect(stripped.object.metadata.labels).toEqual({ "kubernetes.io/metadata.name": "team" })
    expect(stripped.object.spec).toEqual({ finalizers: ["kubernetes"] })
  })

  it("that clients rely on can't be deleted", async () => {
    for (const name of ["default", "kube-system", "kube-public", "setpoint-system"]) {
      if ((await world.verbs.get(alice, { ...team, name })) === undefined) {
        await world.verbs.create(enginePrincipal, namespaces, namespaceNamed(name))
      }
      const fault = await faultOf(world.verbs.delete(alice, { ...team, name }))
      expect(fault).toMatchObject({ status: 403, reason: "Forbidden" })
      expect(fault.message).toBe(
        `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      )
    }
  })

  it("that ends says what is left and who waits, and goes with the last object", async () => {
    await world.verbs.create(alice, notes, inTeam(["test.dev/wait"]))
    const { gone, object } = await world.verbs.delete(alice, team)
    expect(gone).toBe(false)
    expect(object.status).toMatchObject({ phase: "Terminating" })
    expect(await phaseOf("NamespaceContentRemaining")).toMatchObject({
      status: "True",
      reason: "SomeResourcesRemain",
      message: "Some resources are remaining: notes.test.dev",
    })
    expect(await phaseOf("NamespaceFinalizersRemaining")).toMatchObject({
      status: "True",
      message: expect.stringContaining("test.dev/wait"),
    })
    for (const type of ["Discovery", "GroupVersionParsing", "Content"]) {
      const condition = await phaseOf(`NamespaceDeletion${type}Failure`)
      expect(condition).toMatchObject({ status: "False" })
    }
    const ref = { ...notes, namespace: "team", name: "a" }
    await world.verbs.patch(alice, ref, "merge", { metadata: { finalizers: null } })
    expect(await read()).toBeUndefined()
  })

  it("that ends takes nothing new in, and says why", async () => {
    await world.verbs.create(alice, notes, inTeam(["test.dev/wait"]))
    await world.verbs.delete(alice, team)
    const late = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "late", namespace: "team" },
    }
    const fault = await faultOf(world.verbs.create(alice, configMaps, late))
    expect(fault).toMatchObject({ status: 403, reason: "Forbidden" })
    expect(fault.details.causes).toContain("NamespaceTerminating")
  })

  it("is finalized when it is empty, and not before", async () => {
    const kept = { ...namespaceNamed("kept"), spec: { finalizers: ["test.dev/mine"] } }
    await world.verbs.create(alice, namespaces, kept)
    const ref = { ...team, name: "kept" }
    await world.verbs.delete(alice, ref)
    expect(await world.verbs.get(alice, ref)).toMatchObject({
      spec: { finalizers: ["test.dev/mine", "kubernetes"] },
    })
    await finalizeNamespace(world.context, "kept", { spec: { finalizers: ["kubernetes"] } })
    expect(await world.verbs.get(alice, ref)).toBeUndefined()
    await world.verbs.create(alice, notes, inTeam(["test.dev/wait"]))
    await world.verbs.delete(alice, team)
    const early = finalizeNamespace(world.context, "team", { spec: { finalizers: [] } })
    expect(await faultOf(early)).toMatchObject({ status: 409, reason: "Conflict" })
    expect(await read()).toBeDefined()
  })
})
