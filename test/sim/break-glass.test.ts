// Break-glass: what it lifts and what it never lifts, how it is counted, when it ends, and that
// everything done under it says so.

import { afterEach, describe, expect, it } from "vitest"
import { type Fault, toFault } from "../../src/base/faults.ts"
import { at, type Json, type JsonObject } from "../../src/base/json.ts"
import { disarm } from "../../src/base/protections.ts"
import type { Principal } from "../../src/contract/principal.ts"
import { ann, bot, cron, loops, names, Site, widget } from "./site.ts"

const all = (count: number) => names(count).map((name) => widget(name))
const path = "/setpoint/v1/break-glass"
const minute = 60_000

let rearm = () => {}
afterEach(() => rearm())

function ask(site: Site, body: JsonObject = {}, who: Principal = ann): Promise<Json> {
  return site.as(who).call("POST", path, { loop: site.loopId, reason: "the disk is full", ...body })
}

async function broken(site: Site, body: JsonObject = {}): Promise<void> {
  await site.run(ask(site, body))
  await site.clock.advance(5000)
}

async function refusal(site: Site, promise: Promise<unknown>): Promise<Fault> {
  const thrown: unknown = await site.run(promise).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (thrown === undefined) throw new Error("it was not refused")
  return toFault(thrown)
}

/** Ten of thirty are gone from the source, and held. */
async function tenHeld(loop: JsonObject = {}): Promise<Site> {
  const site = await Site.open({ loop })
  await site.declare(all(30))
  await site.declare(all(30).slice(10))
  expect(site.pending().held).toHaveLength(10)
  return site
}

const left = (site: Site) =>
  site.sim.plane.engine.ledger.breakGlass.live(site.loopId)?.deletesLeft ?? "none"

describe("a broken glass", () => {
  it("lifts the limit of deletes, counts them down, and every act says so", async () => {
    const site = await tenHeld()
    await broken(site, { deletes: 12 })
    expect(site.there()).toHaveLength(20)
    expect(left(site)).toBe(2)
    const journal = await site.journal()
    const acts = journal.flatMap(({ event }) => (event.type === "intent" ? event.actions : []))
    const deletes = acts.filter((action) => action.verb === "delete")
    expect(deletes).toHaveLength(10)
    for (const { cause } of deletes) {
      expect(cause.breakGlass).toBe("break-glass of ann: the disk is full")
      expect(cause.text).toContain("under break-glass of ann: the disk is full")
    }
    expect(journal.filter(({ event }) => event.type === "break-glass")).toMatchObject([
      { principal: "ann", event: { state: "broken", deletes: 12, reason: "the disk is full" } },
    ])
    await site.declare(all(30).slice(13))
    expect(site.there()).toHaveLength(20)
    expect(site.pending().held).toHaveLength(3)
    await site.verify()
  })

  it("lifts holds of drift and the limit of changes, and counts nothing for it", async () => {
    const site = await Site.open({ loop: { onDrift: "Hold", limits: { changes: 0 } } })
    await site.declare(all(3))
    for (const name of names(3)) site.world.edit(name, { color: "blue" })
    await site.look()
    expect(site.pending().held).toHaveLength(3)
    await broken(site)
    expect(site.world.targets().map((one) => one.value.color)).toEqual(["red", "red", "red"])
    expect(left(site)).toBe(10)
  })

  it("counts replaces with their intents, durably, and never beyond what is left", async () => {
    const site = await Site.open({ replaceOn: ["size"], loop: { limits: { deletes: 0 } } })
    await site.declare(all(6))
    const resized = (count: number) =>
      all(6).map((one, index) => (index < count ? widget(`w${index}`, { size: 7 }) : one))
    await broken(site, { deletes: 3, for: "4h" })
    await site.declare(resized(2), 10_000)
    const sizes = () => site.world.targets().filter((one) => one.value.size === 7).length
    expect(sizes()).toBe(2)
    expect(left(site)).toBe(1)
    await site.restart()
    expect(left(site)).toBe(1)
    await site.declare(resized(4), 10_000)
    expect(sizes()).toBe(2)
    expect(site.pending().held).toHaveLength(2)
    expect(left(site)).toBe(1)
  })

  it("gives back what provably was not destroyed", async () => {
    const site = await Site.open({ replaceOn: ["size"], loop: { limits: { deletes: 0 } } })
    await site.declare(all(2))
    await broken(site, { deletes: 5, for: "4h" })
    const lift = site.world.faults.add({ how: "unauthorized", on: ["delete"] })
    await site.declare([widget("w0", { size: 7 }), widget("w1")], 10_000)
    expect(site.world.calls.delete).toBeGreaterThan(0)
    expect(site.there()).toHaveLength(2)
    expect(left(site)).toBe(5)
    lift()
  })

  it("lets a loop act outside its window", async () => {
    const windows = [{ schedule: "0 2 * * *", duration: "1m" }]
    const site = await Site.open({ loop: { windows } })
    await site.declare(all(2))
    expect(site.there()).toEqual([])
    await broken(site)
    expect(site.there()).toEqual(["w0", "w1"])
  })

  it("lifts nothing of mode, adoption, rejection and stop", async () => {
    const propose = await Site.open({ loop: { mode: "Propose" } })
    await propose.declare(all(2))
    await broken(propose)
    expect(propose.there()).toEqual([])
    const adopting = await Site.open({})
    const value = { name: "w0", size: 1, color: "blue" }
    adopting.world.create({ identity: "w0", scope: "all", value }, "somebody")
    await adopting.declare(all(2))
    await broken(adopting)
    expect(adopting.world.find("w0")[0]?.value.color).toBe("blue")
    const rejected = await tenHeld()
    await rejected.reject()
    await broken(rejected, { deletes: 100 })
    expect(rejected.there()).toHaveLength(30)
    const stopped = await tenHeld()
    await stopped.run(stopped.as(ann).call("POST", "/setpoint/v1/stop", {}))
    await broken(stopped, { deletes: 100 })
    expect(stopped.there()).toHaveLength(30)
  })

  it("lifts nothing of a protected object", async () => {
    const site = await Site.open({ loop: { limits: { deletes: 0 } } })
    const dear = widget("dear")
    const annotations = { "setpoint.dev/protect": "true" }
    await site.declare([...all(3), { ...dear, metadata: { ...dear.metadata, annotations } }])
    await site.declare(all(3))
    await broken(site, { deletes: 100 })
    expect(site.there()).toContain("dear")
    expect(site.pending().held).toHaveLength(1)
  })

  it("ends by itself, also over a restart, and then lifts nothing", async () => {
    const site = await Site.open({ loop: { limits: { deletes: 0 } } })
    await site.declare(all(10))
    await broken(site, { for: "30m" })
    await site.clock.advance(20 * minute)
    await site.restart()
    expect(left(site)).toBe(10)
    await site.clock.advance(11 * minute)
    expect(left(site)).toBe("none")
    await site.declare(all(9))
    expect(site.there()).toHaveLength(10)
    const ends = (await site.journal()).filter(({ event }) => event.type === "break-glass")
    expect(ends.map(({ event }) => at(event as object as Json, "state"))).toEqual([
      "broken",
      "expired",
    ])
    const status = await site.status()
    expect(status.breakGlass).toEqual([])
  })

  it("twin: without break-glass-expires it lifts for ever", async () => {
    const site = await Site.open({ loop: { limits: { deletes: 0 } } })
    await site.declare(all(10))
    await broken(site, { for: "30m" })
    rearm = disarm("break-glass-expires")
    await site.clock.advance(40 * minute)
    await site.declare(all(9))
    expect(site.there()).toHaveLength(9)
  })

  it("is ended by hand, by anyone, and the limits count again", async () => {
    const site = await Site.open({ loop: { limits: { deletes: 0 } } })
    await site.declare(all(10))
    await broken(site)
    await site.run(site.as(bot).call("POST", `${path}/end`, { loop: site.loopId }))
    await site.declare(all(9))
    expect(site.there()).toHaveLength(10)
    const again = await refusal(
      site,
      site.as(ann).call("POST", `${path}/end`, { loop: site.loopId }),
    )
    expect(again.code).toBe("SPT-GLASS-005")
  })

  it("is shown in status, in Plane/local, on the loop, in explain and as a warning", async () => {
    const site = await Site.open({})
    await site.declare(all(2))
    await broken(site, { reason: "fire" })
    const text = expect.stringContaining("ann broke the glass of default.site until")
    expect((await site.status()).breakGlass).toMatchObject([{ by: "ann", reason: "fire", text }])
    const planes = { group: "setpoint.dev", version: "v1alpha1", resource: "planes" }
    const plane = await site.run(site.as(ann).get({ ...planes, namespace: "", name: "local" }))
    expect(plane?.status?.breakGlass).toMatchObject([{ loop: "default.site", text }])
    const loop = await site.run(site.as(ann).get({ ...loops, namespace: "default", name: "site" }))
    expect(loop?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "BreakGlass", status: "True", message: text }),
    )
    const key = encodeURIComponent("widgets.sim.setpoint.dev/default/w0")
    const told = await site.run(site.as(ann).call("GET", `/setpoint/v1/explain?object=${key}`))
    expect(at(told, "breakGlass")).toEqual(text)
    await site.clock.advance(10_000)
    const events = { group: "", version: "v1", resource: "events" }
    const { items } = await site.run(site.as(ann).list(events, { namespace: "default" }))
    expect(items).toContainEqual(expect.objectContaining({ type: "Warning", reason: "BreakGlass" }))
  })

  it("is refused to agents and services, without a reason, for too much, or twice", async () => {
    const site = await Site.open({})
    await site.declare(all(1))
    for (const who of [bot, cron]) {
      expect(await refusal(site, ask(site, {}, who))).toMatchObject({
        code: "SPT-GLASS-001",
        status: 403,
      })
    }
    expect((await refusal(site, ask(site, { loop: "default.no" }))).code).toBe("SPT-GLASS-002")
    const bad: JsonObject[] = [
      { reason: " " },
      { reason: "x".repeat(501) },
      { for: "5h" },
      { for: "soon" },
      { for: "0s" },
      { deletes: 1001 },
      { deletes: -1 },
      { deletes: 1.5 },
    ]
    for (const body of bad)
      expect((await refusal(site, ask(site, body))).code).toBe("SPT-GLASS-003")
    await broken(site)
    const twice = await refusal(site, ask(site))
    expect(twice.code).toBe("SPT-GLASS-004")
    expect(twice.message).toContain("ann broke it, until")
  })
})
