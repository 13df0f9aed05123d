// Mutating webhooks through the verbs, and what none of them gets at.

import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Json, JsonObject } from "../../src/base/json.ts"
import { disarm } from "../../src/base/protections.ts"
import { enginePrincipal, sourcePrincipal } from "../../src/contract/principal.ts"
import { loopLabel, targetFinalizer } from "../../src/object/object.ts"
import { rule } from "./admission-objects.ts"
import { alice, faultOf, notes, thing, things } from "./client-world.ts"
import { WebhookRig } from "./webhook-rig.ts"
import { patching } from "./webhook-server.ts"

let rig: WebhookRig
beforeEach(async () => {
  rig = await WebhookRig.open()
})
afterEach(() => rig.close())

const color = (value: string): JsonObject => ({ op: "add", path: "/spec/color", value })

describe("a mutating webhook", () => {
  it("changes what is stored; unknown fields go, defaults come", async () => {
    await rig.mutating("/change", () =>
      patching(
        color("blue"),
        { op: "add", path: "/spec/odd", value: 1 },
        {
          op: "remove",
          path: "/spec/size",
        },
      ),
    )
    const { object } = await rig.create("a", { size: 7 })
    expect(object.spec).toEqual({ color: "blue", size: 1 })
    const stored = await rig.read(notes, "a")
    expect(stored.spec).toEqual({ color: "blue", size: 1 })
  })

  it("is followed by those after it, in the order of names", async () => {
    await rig.mutating("/b", ({ object }) => patching(color(`${specOf(object).color}-b`)))
    await rig.mutating("/a", () => patching(color("a")))
    expect((await rig.create("x")).object.spec).toMatchObject({ color: "a-b" })
    expect(rig.paths).toEqual(["/a", "/b"])
  })

  it("is asked once more when it wants to and a later one changed the object", async () => {
    await rig.mutating("/a", ({ object }) => patching(tag(object)), {
      reinvocationPolicy: "IfNeeded",
    })
    await rig.mutating("/b", () => patching(color("blue")))
    await rig.mutating("/c", () => ({ allowed: true }), { reinvocationPolicy: "IfNeeded" })
    await rig.create("x")
    expect(rig.paths).toEqual(["/a", "/b", "/c", "/a"])
  })

  it("can't make an object that its kind does not allow", async () => {
    await rig.mutating("/break", () => patching({ op: "add", path: "/spec/size", value: 1000 }))
    expect(await faultOf(rig.create("a"))).toMatchObject({ code: "SPT-API-005", status: 422 })
    rig.server.replies.set("/break", () =>
      patching({ op: "add", path: "/metadata/labels", value: 7 }),
    )
    expect(await faultOf(rig.create("a"))).toMatchObject({ code: "SPT-API-124", status: 500 })
    rig.server.replies.set("/break", () => patching({ op: "remove", path: "/nowhere" }))
    expect(await faultOf(rig.create("a"))).toMatchObject({ code: "SPT-API-124", status: 500 })
    rig.server.replies.set("/break", () => patching({ op: "replace", path: "", value: { a: 1 } }))
    expect(await faultOf(rig.create("a"))).toMatchObject({ code: "SPT-API-124", status: 500 })
    const odd = { allowed: true, patch: "!!", patchType: "JSONPatch" }
    rig.server.replies.set("/break", () => odd)
    expect((await faultOf(rig.create("a"))).message).toContain("undecodable patch")
  })

  it("never gets at what only the server or the engine says", async () => {
    const set = (path: string, value: Json): JsonObject => ({ op: "add", path, value })
    await rig.mutating("/grab", () =>
      patching(
        set("/metadata/uid", "mine"),
        set("/metadata/name", "other"),
        set("/metadata/generation", 99),
        set("/metadata/finalizers", []),
        set("/metadata/labels", { [loopLabel]: "evil.loop", mine: "yes" }),
        set("/status", { ok: true }),
      ),
    )
    const { object } = await rig.world.verbs.create(alice, things, thing("a"))
    expect(object.metadata).toMatchObject({ name: "a", generation: 1 })
    expect(object.metadata.uid).not.toBe("mine")
    expect(object.metadata.finalizers).toEqual([targetFinalizer])
    expect(object.metadata.labels).toEqual({ [loopLabel]: "default.default", mine: "yes" })
    expect(object.status).toBeUndefined()
    const moved = rig.world.verbs.update(alice, things, { ...object, spec: { size: 2 } })
    expect(await faultOf(moved)).toMatchObject({ code: "SPT-API-013" })
  })

  it("can't change an object that is deleted", async () => {
    await rig.create("a")
    await rig.mutating("/change", () => patching(color("blue")))
    const ref = { ...notes, namespace: "default", name: "a" }
    expect(await faultOf(rig.world.verbs.delete(alice, ref))).toMatchObject({ code: "SPT-API-124" })
  })
})

const specOf = (object: JsonObject | null) => (object?.spec ?? {}) as JsonObject
const tag = (object: JsonObject | null): JsonObject => {
  const value = [...((specOf(object).tags ?? []) as string[]), `t${rig.server.asked.length}`]
  return { op: "add", path: "/spec/tags", value }
}

describe("a source's declaration", () => {
  const source = sourcePrincipal("default.site")
  const apply = (spec: JsonObject) => {
    const options = { fieldManager: source.name, force: true }
    const ref = { ...things, namespace: "default", name: "a" }
    return rig.world.verbs.apply(source, ref, thing("a", spec), options)
  }

  it("is added to by a webhook and never changed", async () => {
    await rig.mutating("/add", () => patching(color("blue")))
    expect((await apply({ size: 3 })).object.spec).toEqual({ size: 3, color: "blue" })
    const fault = await faultOf(apply({ size: 3, color: "red" }))
    expect(fault).toMatchObject({ code: "SPT-API-126", status: 409 })
    expect(fault.message).toContain("change spec.color, declared")
    const again = disarm("webhooks-change-no-declaration")
    try {
      expect((await apply({ size: 3, color: "red" })).object.spec).toMatchObject({ color: "blue" })
    } finally {
      again()
    }
  })
})

describe("the engine", () => {
  it("writes whatever webhooks say; without that, one that is down would blind it", async () => {
    const { object } = await rig.world.verbs.create(alice, things, thing("a"))
    await rig.validating("/down", (_, response) => void response.destroy(), {
      rules: [rule(["*/*"])],
    })
    const report = (n: number) =>
      rig.world.verbs.updateStatus(enginePrincipal, things, { ...object, status: { n } })
    await report(1)
    expect(rig.server.asked).toEqual([])
    const again = disarm("engine-writes-pass-webhooks")
    try {
      const { resourceVersion: _, ...metadata } = object.metadata
      const late = { ...object, metadata, status: { n: 2 } }
      const blind = rig.world.verbs.updateStatus(enginePrincipal, things, late)
      expect(await faultOf(blind)).toMatchObject({ code: "SPT-API-124" })
    } finally {
      again()
    }
  })
})

describe("configured webhooks", () => {
  it("count from the moment their write is answered until it is taken back", async () => {
    for (let round = 0; round < 5; round++) {
      await rig.validating(`/no${round}`, () => ({ allowed: false }))
      expect(await faultOf(rig.create(`a${round}`))).toMatchObject({ code: "SPT-API-123" })
      await rig.withdraw(`no${round}.test.dev`)
      expect((await rig.create(`a${round}`)).created).toBe(true)
    }
  })
})
