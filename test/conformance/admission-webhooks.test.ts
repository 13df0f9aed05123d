// Webhooks through the verbs, asked over real HTTPS: which one is asked, and what it may do.

import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import { rule, validatingConfigurations } from "./admission-objects.ts"
import {
  alice,
  configMap,
  configMaps,
  definitionOf,
  definitions,
  faultOf,
  namespaces,
  note,
  notes,
  thing,
  things,
} from "./client-world.ts"
import { WebhookRig } from "./webhook-rig.ts"
import { patching } from "./webhook-server.ts"

let rig: WebhookRig
beforeEach(async () => {
  rig = await WebhookRig.open()
})
afterEach(() => rig.close())

const color = (value: string): JsonObject => ({ op: "add", path: "/spec/color", value })

describe("a validating webhook", () => {
  it("is told of the request as Kubernetes tells it", async () => {
    await rig.validating("/look")
    await rig.create("a", { color: "red" })
    const request = rig.server.asked[0]?.request
    expect(request).toMatchObject({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: { group: "test.dev", version: "v1", kind: "Note" },
      resource: { group: "test.dev", version: "v1", resource: "notes" },
      requestKind: { group: "test.dev", version: "v1", kind: "Note" },
      name: "a",
      namespace: "default",
      operation: "CREATE",
      userInfo: { username: "alice" },
      object: { kind: "Note", spec: { color: "red", size: 1 } },
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
    })
  })

  it("hears of updates, of the status and of deletes, each with what was", async () => {
    await rig.validating("/look", undefined, { rules: [rule(["notes", "notes/status"])] })
    const { object } = await rig.create("a")
    const { object: second } = await rig.world.verbs.update(alice, notes, {
      ...object,
      spec: { size: 2 },
    })
    await rig.world.verbs.updateStatus(alice, notes, { ...second, status: { ok: true } })
    await rig.world.verbs.delete(alice, { ...notes, namespace: "default", name: "a" })
    const seen = rig.server.asked.map(({ request }) => [
      request.operation,
      request.subResource ?? "",
      request.object === null ? null : (request.object.spec as JsonObject).size,
      request.oldObject === null ? null : (request.oldObject.spec as JsonObject).size,
    ])
    expect(seen).toEqual([
      ["CREATE", "", 1, null],
      ["UPDATE", "", 2, 1],
      ["UPDATE", "status", 2, 2],
      ["DELETE", "", null, 2],
    ])
  })

  it("refuses with its own words, status and reason", async () => {
    const status = { code: 403, reason: "Forbidden", message: "no red ones" }
    await rig.validating("/no-red", () => ({ allowed: false, status }))
    const fault = await faultOf(rig.create("a"))
    expect(fault).toMatchObject({ code: "SPT-API-123", status: 403, reason: "Forbidden" })
    expect(fault.message).toBe(
      'admission webhook "no-red.test.dev" denied the request: no red ones',
    )
    rig.server.replies.set("/no-red", () => ({ allowed: false, status: { code: 200 } }))
    const silent = await faultOf(rig.create("a"))
    expect(silent.status).toBe(400)
    expect(silent.message).toMatch(/denied the request without explanation$/)
    expect(await rig.world.verbs.list(alice, notes)).toMatchObject({ items: [] })
  })

  it("keeps what it would have deleted", async () => {
    await rig.create("a")
    await rig.validating("/keep", ({ operation }) => ({ allowed: operation !== "DELETE" }))
    const ref = { ...notes, namespace: "default", name: "a" }
    expect(await faultOf(rig.world.verbs.delete(alice, ref))).toMatchObject({ code: "SPT-API-123" })
    const list = rig.world.verbs.deleteCollection(alice, notes)
    expect(await faultOf(list)).toMatchObject({ code: "SPT-API-123" })
    expect(await rig.world.verbs.get(alice, ref)).toMatchObject({ metadata: { name: "a" } })
  })

  it("passes its warnings on", async () => {
    await rig.validating("/warn", () => ({ allowed: true, warnings: ["mind the gap"] }))
    expect((await rig.create("a")).warnings).toEqual(["mind the gap"])
    const ref = { ...notes, namespace: "default", name: "a" }
    expect((await rig.world.verbs.delete(alice, ref)).warnings).toEqual(["mind the gap"])
  })

  it("is asked in a dry run, which stores nothing", async () => {
    await rig.validating("/dry", ({ dryRun }) => ({ allowed: dryRun !== true }))
    const dry = rig.world.verbs.create(alice, notes, note("a"), { dryRun: true })
    expect(await faultOf(dry)).toMatchObject({ code: "SPT-API-123" })
  })

  it("may not change anything", async () => {
    await rig.validating("/sly", () => patching(color("blue")))
    const fault = await faultOf(rig.create("a"))
    expect(fault).toMatchObject({ code: "SPT-API-124", status: 500, reason: "InternalError" })
    expect(fault.message).toContain("validating webhook may not return response.patch")
  })
})

describe("which webhook is asked", () => {
  const asks = async (more: JsonObject) => {
    await rig.validating("/look", undefined, more)
    return async (task: () => Promise<unknown>) => {
      rig.server.asked.length = 0
      await task()
      return rig.server.asked.length
    }
  }

  it("is said by its rules", async () => {
    const asked = await asks({
      rules: [
        rule(["things"], { operations: ["CREATE"], apiGroups: ["test.dev"] }),
        rule(["*/status"], { operations: ["UPDATE"] }),
        rule(["configmaps"], { apiVersions: ["v2"] }),
        rule(["namespaces"], { scope: "Namespaced" }),
      ],
    })
    expect(await asked(() => rig.create("a"))).toBe(0)
    const made = await rig.world.verbs.create(alice, things, thing("a"))
    expect(rig.server.asked.length).toBe(1)
    const { object } = made
    expect(await asked(() => rig.world.verbs.update(alice, things, object))).toBe(0)
    const status = { ...object, status: { ok: true } }
    expect(await asked(() => rig.world.verbs.updateStatus(alice, things, status))).toBe(1)
    expect(await asked(() => rig.world.verbs.create(alice, configMaps, configMap("a")))).toBe(0)
    const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "x" } }
    expect(await asked(() => rig.world.verbs.create(alice, namespaces, space))).toBe(0)
  })

  it("is said by the labels of the namespace and of the object, old or new", async () => {
    const asked = await asks({
      namespaceSelector: { matchExpressions: [{ key: "team", operator: "Exists" }] },
      objectSelector: { matchLabels: { strict: "yes" } },
    })
    const labels = { strict: "yes" }
    const plain = note("a")
    const labelled = { ...plain, metadata: { ...plain.metadata, labels } }
    expect(await asked(() => rig.world.verbs.create(alice, notes, labelled))).toBe(0)
    const space = await rig.read(namespaces, "default", "")
    const metadata = { ...space.metadata, labels: { ...space.metadata.labels, team: "x" } }
    await rig.world.verbs.update(alice, namespaces, { ...space, metadata })
    expect(await asked(() => rig.create("b"))).toBe(0)
    const live = await rig.read(notes, "a")
    const { labels: _, ...bare } = live.metadata
    expect(
      await asked(() => rig.world.verbs.update(alice, notes, { ...live, metadata: bare })),
    ).toBe(1)
  })

  it("is said by its conditions; one that fails to evaluate counts as a failure", async () => {
    const expression = "request.userInfo.username != 'bob' && object.spec.size > 3"
    const asked = await asks({ matchConditions: [{ name: "big", expression }] })
    expect(await asked(() => rig.create("a", { size: 2 }))).toBe(0)
    expect(await asked(() => rig.create("b", { size: 5 }))).toBe(1)
    const broken = [{ name: "odd", expression: "object.spec.nowhere == 1" }]
    await rig.validating("/odd", undefined, { matchConditions: broken })
    expect(await faultOf(rig.create("c"))).toMatchObject({ code: "SPT-API-124" })
    const mixed = [...broken, { name: "no", expression: "false" }]
    const live = await rig.read(validatingConfigurations, "odd.test.dev", "")
    const [first] = Array.isArray(live.webhooks) ? live.webhooks : []
    const webhooks = [{ ...first, matchConditions: mixed }]
    await rig.world.verbs.update(alice, validatingConfigurations, { ...live, webhooks })
    expect((await rig.create("c")).created).toBe(true)
  })

  it("counts rules for another version of the kind, and asks in that version", async () => {
    const definition = definitionOf("Pack")
    const [version] = (definition.spec?.versions ?? []) as JsonObject[]
    const versions = [version, { ...version, name: "v2", storage: false }] as JsonObject[]
    await rig.world.verbs.create(alice, definitions, {
      ...definition,
      spec: { ...definition.spec, versions },
    })
    const packs = { group: "test.dev", version: "v2", resource: "packs" }
    const pack = (name: string) => ({ ...note(name), apiVersion: "test.dev/v2", kind: "Pack" })
    const old = [rule(["packs"], { apiVersions: ["v1"] })]
    await rig.mutating("/old", () => patching(color("blue")), { rules: old })
    const { object } = await rig.world.verbs.create(alice, packs, pack("a"))
    expect(rig.server.asked[0]?.request).toMatchObject({
      kind: { version: "v1" },
      requestKind: { version: "v2" },
      object: { apiVersion: "test.dev/v1" },
    })
    expect(object).toMatchObject({ apiVersion: "test.dev/v2", spec: { color: "blue" } })
    rig.server.asked.length = 0
    await rig.validating("/exact", undefined, { rules: old, matchPolicy: "Exact" })
    await rig.world.verbs.create(alice, packs, pack("b"))
    expect(rig.paths).toEqual(["/old"])
  })

  it("never concerns what configures webhooks and policies", async () => {
    await rig.validating("/all", () => ({ allowed: false }), { rules: [rule(["*/*"])] })
    await rig.validating("/more")
    const ref = { ...validatingConfigurations, namespace: "", name: "all.test.dev" }
    await rig.world.verbs.delete(alice, ref)
    expect(rig.server.asked).toEqual([])
    expect((await rig.create("a")).created).toBe(true)
  })
})
