// Handing over: an object to another loop, fields of a source to other writers. Targets are not
// touched, only people do it, and the journals say who and why.

import { describe, expect, it } from "vitest"
import type { Json, JsonObject } from "../../src/base/json.ts"
import type { Principal } from "../../src/contract/principal.ts"
import { loopLabel } from "../../src/object/object.ts"
import { ann, bot, cron, flavours, loops, names, Site, widget, widgets } from "./site.ts"

const minute = 60_000
const keyOf = (name: string) => `widgets.sim.setpoint.dev/default/${name}`
const refOf = (name: string) => ({ ...widgets, namespace: "default", name })

const call = (site: Site, what: string, name: string, body: JsonObject, who: Principal = ann) => {
  const given: Json = { object: keyOf(name), reason: "handed over", ...body }
  return site.as(who).call("POST", `/setpoint/v1/${what}`, given)
}

async function makeLoop(site: Site, name: string, spec: JsonObject = {}): Promise<void> {
  const metadata = { name, namespace: "default" }
  const object = { apiVersion: "setpoint.dev/v1alpha1", kind: "Loop", metadata }
  const whole = { ...object, spec: { mode: "Enforce", ...spec } }
  await site.run(site.as(ann).apply(loops, whole, { fieldManager: "ann" }))
  await site.clock.advance(1000)
}

async function settled(flavour: (typeof flavours)[number]): Promise<Site> {
  const site = await Site.open({ source: false, flavour })
  await makeLoop(site, "other")
  for (const name of names(3)) await site.create(widget(name))
  await site.clock.advance(30 * minute)
  return site
}

const size = (site: Site, loop: string) => site.sim.plane.engine.ledger.inventory.size(loop)

describe.each(flavours)("move (%s)", (flavour) => {
  it("changes who keeps it, touches nothing, and counts in the other inventory", async () => {
    const site = await settled(flavour)
    const before = site.mutations
    await site.run(call(site, "move", "w0", { to: "default.other" }))
    await site.clock.advance(minute)
    expect(site.mutations).toBe(before)
    expect((await site.object("w0"))?.metadata.labels?.[loopLabel]).toBe("default.other")
    expect(await site.reason("w0")).toBe("Converged")
    expect([size(site, "default.default"), size(site, "default.other")]).toEqual([2, 1])
    site.world.edit("w0", { color: "blue" })
    await site.look()
    await site.clock.advance(minute)
    expect(site.world.find("w0")[0]?.value.color).toBe("red")
    for (const loop of ["default.default", "default.other"]) {
      const told = (await site.journal(loop)).filter(({ event }) => event.type === "moved")
      expect(told).toMatchObject([{ principal: "ann", event: { reason: "handed over" } }])
    }
    await site.restart()
    expect([size(site, "default.default"), size(site, "default.other")]).toEqual([2, 1])
  })

  it("is judged by the new loop from then on", async () => {
    const site = await settled(flavour)
    await makeLoop(site, "other", { mode: "Observe" })
    await site.run(call(site, "move", "w0", { to: "default.other" }))
    site.world.edit("w0", { color: "blue" })
    await site.look()
    await site.clock.advance(10 * minute)
    expect(site.world.find("w0")[0]?.value.color).toBe("blue")
  })
})

describe("move", () => {
  it("puts its record right when a crash came between", async () => {
    const site = await settled("single")
    const { ledger } = site.sim.plane.engine
    const uid = (await site.object("w0"))?.metadata.uid ?? ""
    const record = await site.run(ledger.record(uid))
    if (record === undefined) throw new Error("there is no record")
    const writes = ledger.recordWrites({ ...record, loop: "default.other" })
    await site.run(ledger.note("default.other", ann, [], writes))
    await site.restart()
    await site.look()
    expect([size(site, "default.default"), size(site, "default.other")]).toEqual([3, 0])
  })

  it("is refused for loops that can not keep it, while deleting, and to non-people", async () => {
    const site = await settled("single")
    const refused = (body: JsonObject, who?: Principal) =>
      site.refused(call(site, "move", "w0", body, who))
    expect(await refused({ to: "default.nowhere" })).toContain("there is no loop")
    expect(await refused({ to: "setpoint-system.default" })).toContain("not in namespace default")
    expect(await refused({ to: "default.default" })).toContain("keeps it already")
    for (const who of [bot, cron]) {
      expect(await refused({ to: "default.other" }, who)).toContain("only people do that")
    }
    site.world.faults.add({ how: "serverError", on: ["delete"] })
    await site.run(site.delete("w0"))
    await site.clock.advance(5 * minute)
    const said = await refused({ to: "default.other" })
    expect(said).toMatch(/its delete is under way|its act is under way/)
    const patch = { metadata: { labels: { [loopLabel]: "default.other" } } }
    const byHand = site.as(ann).patch(refOf("w1"), "merge", patch)
    expect(await site.refused(byHand)).toContain("changed only by the engine")
  })
})

describe("detach", () => {
  it("lets another writer set a field that a source declares, over new revisions", async () => {
    const site = await Site.open()
    await site.declare([widget("w0")])
    const patch = (color: string) => {
      return site.as(ann).patch(refOf("w0"), "merge", { spec: { color } })
    }
    expect(await site.refused(patch("blue"))).toContain("declared")
    await site.run(call(site, "detach", "w0", { fields: ["color"] }))
    await site.run(patch("blue"))
    await site.clock.advance(minute)
    expect(site.world.find("w0")[0]?.value.color).toBe("blue")
    await site.declare([widget("w0", { size: 2, color: "green" })])
    await site.clock.advance(minute)
    expect(site.world.find("w0")[0]?.value).toMatchObject({ color: "blue", size: 2 })
    await site.restart()
    expect(site.world.find("w0")[0]?.value).toMatchObject({ color: "blue", size: 2 })
    const resize = site.as(ann).patch(refOf("w0"), "merge", { spec: { size: 3 } })
    expect(await site.refused(resize)).toContain("declared")
    const [told] = (await site.journal()).filter(({ event }) => event.type === "detached")
    expect(told).toMatchObject({ principal: "ann", event: { reason: "handed over" } })
  })

  it("gives nothing up by itself: the value stays until someone sets another", async () => {
    const site = await Site.open()
    await site.declare([widget("w0")])
    await site.run(call(site, "detach", "w0", {}))
    await site.declare([widget("w0", { color: "green", size: 5 })])
    await site.clock.advance(minute)
    expect((await site.object("w0"))?.spec).toMatchObject({ color: "red", size: 1 })
    await site.run(call(site, "detach", "w0", { back: true }))
    await site.declare([widget("w0", { color: "black", size: 5 })])
    await site.clock.advance(minute)
    expect(site.world.find("w0")[0]?.value).toMatchObject({ color: "black", size: 5 })
  })

  it("is not what a writer can do with an annotation, and not an agent's", async () => {
    const site = await Site.open()
    await site.declare([widget("w0")])
    const annotations = { "setpoint.dev/detached": "spec.color" }
    await site.run(site.as(bot).patch(refOf("w0"), "merge", { metadata: { annotations } }))
    await site.declare([widget("w0", { color: "green" })])
    expect((await site.object("w0"))?.spec?.color).toBe("green")
    const refused = (body: JsonObject, who?: Principal) =>
      site.refused(call(site, "detach", "w0", body, who))
    expect(await refused({ fields: ["color"] }, bot)).toContain("only people do that")
    expect(await refused({ fields: ["a b"] })).toContain("is no field")
    expect(await refused({ fields: names(21) })).toContain("too many fields")
    const free = await Site.open({ source: false })
    await free.create(widget("w0"))
    expect(await free.refused(call(free, "detach", "w0", {}))).toContain("no source declares it")
  })
})
