// Nothing created is ever forgotten: what is released, what loses its object and what may have been
// made stays in the inventory's list of orphans until it is kept again or a person forgets it.

import { afterEach, describe, expect, it } from "vitest"
import { at, type Json, type JsonObject } from "../../src/base/json.ts"
import { disarm } from "../../src/base/protections.ts"
import { enginePrincipal, type Principal } from "../../src/contract/principal.ts"
import { loopLabel, targetFinalizer } from "../../src/object/object.ts"
import {
  ann,
  bot,
  cron,
  flavours,
  loops,
  names,
  Site,
  type SiteOptions,
  widget,
  widgets,
} from "./site.ts"

const minute = 60_000
const keyOf = (name: string) => `widgets.sim.setpoint.dev/default/${name}`
const refOf = (name: string) => ({ ...widgets, namespace: "default", name })
let armed: (() => void)[] = []
afterEach(() => {
  for (const arm of armed) arm()
  armed = []
})

/** Objects made by API, old enough that nothing is new any more. */
async function settled(count: number, options: SiteOptions = {}): Promise<Site> {
  const site = await Site.open({ source: false, ...options })
  for (const name of names(count)) await site.create(widget(name))
  await site.clock.advance(30 * minute)
  return site
}

async function inventory(site: Site, query = ""): Promise<readonly JsonObject[]> {
  const answer = await site.run(site.as(ann).call("GET", `/setpoint/v1/inventory${query}`))
  const items = at(answer, "items")
  return Array.isArray(items) ? (items as JsonObject[]) : []
}

const orphans = (site: Site) => inventory(site, "?orphans=true")

const release = (site: Site, name: string, body: JsonObject = {}, who: Principal = ann) => {
  const given = { object: keyOf(name), reason: "the disk is gone", ...body }
  return site.as(who).call("POST", "/setpoint/v1/release", given)
}

const forget = (site: Site, body: JsonObject, who: Principal = ann): Promise<Json> =>
  site.as(who).call("POST", "/setpoint/v1/inventory/forget", body)

/** The finalizer goes although the target is there: what a hand in the store does. */
async function vanish(site: Site, name: string): Promise<void> {
  const { verbs } = site.sim.plane.api
  const patch = { metadata: { finalizers: [] } }
  await site.run(verbs.patch(enginePrincipal, refOf(name), "merge", patch))
  const { store } = site.sim.plane.ports
  const key = `/registry/sim.setpoint.dev/widgets/default/${name}`
  await site.run(store.commit([], [{ kind: "delete", key }]))
}

describe.each(flavours)("an object that vanishes from the store (%s)", (flavour) => {
  it("leaves an orphan that people see, and its target alone", async () => {
    const site = await settled(3, { flavour })
    await vanish(site, "w1")
    await site.clock.advance(minute)
    const [orphan, ...more] = await orphans(site)
    expect(more).toEqual([])
    expect(orphan).toMatchObject({ target: "sim:w1", object: keyOf("w1"), cause: "ObjectGone" })
    expect(orphan).toMatchObject({ kind: "Widget", loop: site.loopId })
    expect(site.there()).toEqual(["w0", "w1", "w2"])
    const entries = await site.journal()
    expect(entries.some(({ event }) => event.type === "orphaned")).toBe(true)
    const status = JSON.stringify(await site.status())
    expect(status).toContain('"orphans":1')
    const owned = (await inventory(site)).map((one) => one.target)
    expect(owned.sort()).toEqual(["sim:w0", "sim:w2"])
  })

  it("is noticed at the next start when no plane was running", async () => {
    const site = await settled(2, { flavour })
    const { store } = site.sim.plane.ports
    await site.sim.stopPlane()
    const key = "/registry/sim.setpoint.dev/widgets/default/w0"
    const { epochCheck } = store.identity
    await site.run(store.commit([epochCheck], [{ kind: "delete", key }]))
    await site.sim.start()
    await site.clock.advance(minute)
    expect((await orphans(site)).map((one) => one.target)).toEqual(["sim:w0"])
    expect(site.there()).toEqual(["w0", "w1"])
  })

  it("comes back as somebody else's: held as Adopt, and no orphan once it is adopted", async () => {
    const site = await settled(2, { flavour })
    await vanish(site, "w0")
    await site.clock.advance(minute)
    await site.create(widget("w0", { size: 9 }))
    await site.clock.advance(minute)
    expect(await site.reason("w0")).toBe("Adopt")
    expect(await orphans(site)).toHaveLength(1)
    await site.approve()
    await site.clock.advance(minute)
    expect(await site.reason("w0")).toBe("Converged")
    expect(await orphans(site)).toEqual([])
  })
})

it("twin: without the watch for it, the target of a vanished object is nobody's", async () => {
  armed.push(disarm("orphan-is-noticed"))
  const site = await settled(2)
  await vanish(site, "w0")
  await site.clock.advance(minute)
  expect(await orphans(site)).toEqual([])
})

describe("release", () => {
  it("ends a deletion that can't be finished: the target stays and is remembered", async () => {
    const site = await settled(2, { loop: { deletionDeadline: "10m" } })
    site.world.faults.add({ how: "serverError", on: ["delete"] })
    await site.run(site.delete("w0"))
    await site.clock.advance(30 * minute)
    expect(await site.reason("w0")).toBe("DeletionOverdue")
    expect(await site.refused(release(site, "w0"))).toContain(
      "its target sim:w0 would be left over",
    )
    await site.run(release(site, "w0", { orphan: true }))
    expect(await site.object("w0")).toBeUndefined()
    expect(await orphans(site)).toMatchObject([
      { target: "sim:w0", cause: "Released", by: "ann", why: "the disk is gone" },
    ])
    site.world.faults.calm()
    await site.clock.advance(60 * minute)
    expect(site.there()).toEqual(["w0", "w1"])
    const told = (await site.journal()).find(({ event }) => event.type === "release")
    expect(told?.principal).toBe("ann")
    expect(told?.event).toMatchObject({ target: "sim:w0", reason: "the disk is gone" })
    await site.restart()
    expect(await orphans(site)).toHaveLength(1)
  })

  it("lets an object go that nobody deletes: it stays stored and nothing acts on it", async () => {
    const site = await settled(2)
    const before = site.mutations
    await site.run(release(site, "w0"))
    const object = await site.object("w0")
    expect(object?.metadata.labels?.[loopLabel]).toBeUndefined()
    expect(object?.metadata.finalizers ?? []).not.toContain(targetFinalizer)
    expect(await site.reason("w0")).toBe("Released")
    site.world.edit("w0", { color: "blue" })
    await site.clock.advance(20 * minute)
    expect(site.mutations - before).toBe(1) // The edit itself.
    expect((await orphans(site)).map((one) => one.target)).toEqual(["sim:w0"])
    expect(await site.refused(release(site, "w0"))).toContain("no loop keeps it")
  })

  it("is refused for what a source declares, with the place", async () => {
    const site = await Site.open()
    await site.declare([widget("w0")])
    const said = await site.refused(release(site, "w0"))
    expect(said).toContain("declared at sim/all.yaml:1,")
    expect((await inventory(site)).map((one) => one.target)).toEqual(["sim:w0"])
  })

  it("is a person's: agents and services are refused, and a reason is needed", async () => {
    const site = await settled(1)
    for (const who of [bot, cron]) {
      expect(await site.refused(release(site, "w0", {}, who))).toContain("only people do that")
    }
    expect(await site.refused(release(site, "w0", { reason: "  " }))).toContain("no reason")
    expect(await site.refused(release(site, "w0", { reason: "x".repeat(501) }))).toContain("reason")
    expect(await site.refused(release(site, "nobody"))).toContain("cannot find")
    expect(await orphans(site)).toEqual([])
  })

  it("never meets an act: one that is under way ends first", async () => {
    const site = await settled(2)
    site.world.faults.add({ how: "hang", on: ["delete"] })
    await site.run(site.delete("w0"))
    await site.clock.advance(2000)
    expect(await site.refused(release(site, "w0", { orphan: true }))).toContain("under way")
  })

  it("stands when a crash came right after its first commit: nothing is deleted", async () => {
    const site = await settled(2)
    site.world.faults.add({ how: "serverError", on: ["delete"] })
    await site.run(site.delete("w0"))
    await site.clock.advance(5 * minute)
    const { ledger } = site.sim.plane.engine
    const record = await site.run(ledger.record((await site.object("w0"))?.metadata.uid ?? ""))
    if (record === undefined) throw new Error("there is no record")
    const parting = { cause: "Released", at: "2026-01-01T00:00:00Z", by: "ann", why: "x" } as const
    await site.run(ledger.note(site.loopId, ann, [], ledger.orphanWrites(record, parting)))
    site.world.faults.calm()
    await site.restart()
    await site.clock.advance(30 * minute)
    expect(await site.object("w0")).toBeUndefined()
    expect(site.there()).toEqual(["w0", "w1"])
    expect((await orphans(site)).map((one) => one.target)).toEqual(["sim:w0"])
  })

  it("of a whole loop leaves an orphan for each target", async () => {
    const site = await Site.open()
    await site.declare(names(3).map((name) => widget(name)))
    await site.run(site.as(ann).delete({ ...loops, namespace: "default", name: "site" }))
    await site.clock.advance(minute)
    const left = await inventory(site, "?orphans=true&loop=default.site")
    expect(left.map((one) => one.target)).toEqual(
      expect.arrayContaining(["sim:w0", "sim:w1", "sim:w2"]),
    )
  })
})

describe("forget", () => {
  it("is a person's word, with a reason, in the journal", async () => {
    const site = await settled(2)
    await site.run(release(site, "w0"))
    const target = "sim:w0"
    expect(await site.refused(forget(site, { target, reason: "x" }, bot))).toContain("only people")
    expect(await site.refused(forget(site, { target }))).toContain("no reason")
    expect(await site.refused(forget(site, { target: "sim:w1", reason: "x" }))).toContain(
      "it is no orphan",
    )
    await site.run(forget(site, { target, reason: "deleted by hand" }))
    expect(await orphans(site)).toEqual([])
    const [told] = (await site.journal()).filter(({ event }) => event.type === "forgotten")
    expect(told).toMatchObject({ principal: "ann", event: { target, reason: "deleted by hand" } })
    expect(site.there()).toContain("w0")
    await site.restart()
    expect(await orphans(site)).toEqual([])
  })
})

describe("the inventory", () => {
  it("says what is owned, since when and when it was last seen, page by page", async () => {
    const site = await settled(5)
    const seen = new Set<string>()
    let after = ""
    for (let page = 0; page < 10; page++) {
      const query = `/setpoint/v1/inventory?limit=2&after=${after}`
      const answer = await site.run(site.as(ann).call("GET", query))
      const items = at(answer, "items")
      for (const one of Array.isArray(items) ? items : []) {
        expect(Date.parse(String(at(one, "since")))).toBeGreaterThan(0)
        expect(Date.parse(String(at(one, "lastObserved")))).toBeGreaterThan(0)
        seen.add(String(at(one, "target")))
      }
      expect(at(answer, "total")).toBe(5)
      after = String(at(answer, "next") ?? "")
      if (after === "") break
    }
    expect([...seen].sort()).toEqual(names(5).map((name) => `sim:${name}`))
    expect(await inventory(site, "?loop=default.other")).toEqual([])
  })

  it("lists creates of which nobody knows whether they happened", async () => {
    const site = await Site.open({ source: false, identityRule: "none" })
    site.world.faults.add({ how: "lostReply", on: ["create"], times: 1 })
    await site.create(widget("w0"))
    // The next look, which finds that nothing can be known, is at a random moment of this time.
    await site.clock.advance(2 * minute)
    expect(await site.reason("w0")).toBe("CreateUncertain")
    expect(await orphans(site)).toMatchObject([{ target: "sim:w0", cause: "CreateUncertain" }])
    await site.run(site.delete("w0"))
    await site.clock.advance(minute)
    expect(await site.object("w0")).toBeUndefined()
    expect(await orphans(site)).toMatchObject([{ target: "sim:w0", cause: "CreateUncertain" }])
  })
})
