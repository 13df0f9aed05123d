// Stops of one provider and one object, stops that end, and stops by patch of Plane/local.

import { describe, expect, it } from "vitest"
import { at, type Json, type JsonObject } from "../../src/base/json.ts"
import { sourcePrincipal } from "../../src/contract/principal.ts"
import { ann, bot, cron, names, Site, widget } from "./site.ts"

const all = (count: number) => names(count).map((name) => widget(name))
const key = (name: string) => `widgets.sim.setpoint.dev/default/${name}`
const plane = {
  ...{ group: "setpoint.dev", version: "v1alpha1", resource: "planes" },
  ...{ namespace: "", name: "local" },
} as const
const hourMs = 3_600_000

const call = (site: Site, verb: "stop" | "resume", body: JsonObject, who = ann): Promise<Json> =>
  site.as(who).call("POST", `/setpoint/v1/${verb}`, body)
const stop = (site: Site, body: JsonObject) => site.run(call(site, "stop", body))
const resume = (site: Site, body: JsonObject) => site.run(call(site, "resume", body))
const patch = (site: Site, spec: JsonObject, who = ann, dryRun = false) =>
  site.as(who).patch(plane, "merge", { spec }, dryRun ? { dryRun: true } : {})
const shown = async (site: Site) => await site.run(site.as(ann).get(plane))
const inHours = (site: Site, hours: number) =>
  `${new Date(site.clock.now() + hours * hourMs).toISOString().slice(0, 19)}Z`
const colors = (site: Site) =>
  site.world.targets().map(({ identity, value }) => `${identity} ${String(value.color)}`)

async function converged(count = 3): Promise<Site> {
  const site = await Site.open()
  await site.declare(all(count))
  return site
}

async function drift(site: Site, ...which: string[]): Promise<void> {
  for (const name of which) site.world.edit(name, { color: "blue" })
  await site.look()
  await site.clock.advance(60_000)
}

describe("a stop of one object", () => {
  it("leaves it alone, corrects the others, and says who, why and until when", async () => {
    const site = await converged()
    const until = inHours(site, 2)
    await stop(site, { object: key("w1"), until, reason: "being looked at" })
    await drift(site, "w0", "w1")
    expect(colors(site).sort()).toEqual(["w0 red", "w1 blue", "w2 red"])
    expect(await site.reason("w1")).toBe("Stopped")
    const ready = await site.condition("w1", "Ready")
    for (const part of ["by ann", until, "being looked at"]) expect(ready?.message).toContain(part)
    expect(await site.status()).toMatchObject({ stops: [{ object: key("w1"), until }] })
    const path = `/setpoint/v1/explain?object=${encodeURIComponent(key("w1"))}`
    const told = await site.run(site.as(ann).call("GET", path))
    expect(told).toMatchObject({ stopped: expect.stringContaining("by ann until") })
    const other = `/setpoint/v1/explain?object=${encodeURIComponent(key("w0"))}`
    expect(at(await site.run(site.as(ann).call("GET", other)), "stopped")).toBeUndefined()
    await resume(site, { object: key("w1") })
    await site.clock.advance(5000)
    expect(colors(site)).toContain("w1 red")
  })

  it("ends at its time and not before, and the object is woken", async () => {
    const site = await converged()
    await stop(site, { object: key("w1"), until: inHours(site, 2) })
    await drift(site, "w1")
    await site.clock.advance(2 * hourMs - 3 * 60_000)
    expect(colors(site)).toContain("w1 blue")
    await site.clock.advance(2 * 60_000 + 5000)
    expect(colors(site)).toContain("w1 red")
    expect((await site.status()).stops).toEqual([])
    expect((await shown(site))?.spec).toEqual({ stop: [] })
    const notes = (await site.journal("plane")).map(({ event, principal }) => [event, principal])
    expect(notes.at(-1)).toMatchObject([{ type: "resume", reason: "its time is over" }, {}])
  })

  it("is not made shorter by stopping again, only longer", async () => {
    const site = await converged()
    const [short, long] = [inHours(site, 1), inHours(site, 3)]
    await stop(site, { object: key("w1"), until: long })
    expect(await stop(site, { object: key("w1"), until: short })).toMatchObject({
      stops: [{ until: long }],
    })
    expect(await site.run(call(site, "stop", { object: key("w1") }, bot))).toMatchObject({
      stops: [{ by: "bot" }],
    })
    expect(site.sim.stop.entries()[0]?.until).toBeUndefined()
  })

  it("comes back after a restart with a lost file, unless its time is over", async () => {
    const site = await converged()
    await stop(site, { object: key("w1"), until: inHours(site, 2) })
    await stop(site, { object: key("w2"), until: inHours(site, 6) })
    site.sim.stop.write([])
    await site.sim.stopPlane()
    await site.clock.advance(3 * hourMs)
    await site.sim.start()
    expect(site.sim.stop.entries()).toMatchObject([{ object: key("w2") }])
    expect((await site.status()).stops).toMatchObject([{ object: key("w2") }])
  })
})

describe("a stop of one provider", () => {
  it("stops what that provider does and nothing else", async () => {
    const site = await converged()
    await stop(site, { provider: "sim", scope: "deletes" })
    await drift(site, "w1")
    expect(colors(site)).toContain("w1 red")
    await resume(site, { provider: "sim", scope: "deletes" })
    await stop(site, { provider: "sim" })
    await drift(site, "w1")
    expect(colors(site)).toContain("w1 blue")
    await resume(site, { provider: "sim" })
    await site.clock.advance(5000)
    expect(colors(site)).toContain("w1 red")
  })
})

describe("what can't be understood", () => {
  it.each([
    [{ provider: "nobody" }, "no such provider"],
    [{ object: key("nobody") }, "no such object"],
    [{ loop: "default.site", provider: "sim" }, "more than one"],
    [{ scope: "some" }, "neither all nor deletes"],
    [{ until: "tomorrow" }, "until is no time"],
    [{ until: "2001-01-01T00:00:00Z" }, "until is over"],
    [{ reason: "x".repeat(1001) }, "longer than"],
  ])("is refused with the reason, and nothing is stopped: %j", async (body, why) => {
    const site = await converged(1)
    expect(await site.refused(call(site, "stop", body))).toContain(why)
    expect(site.sim.stop.entries()).toEqual([])
  })
})

describe("who may", () => {
  it("anyone stops, only a person lifts", async () => {
    const site = await converged(1)
    for (const who of [bot, cron]) {
      await site.run(call(site, "stop", { reason: who.name }, who))
      expect(await site.refused(call(site, "resume", {}, who))).toContain("only people")
      expect(await site.refused(patch(site, { stop: [] }, who))).toContain("only people")
      expect(site.sim.stop.entries()).toHaveLength(1)
      await resume(site, {})
    }
  })
})

describe("a patch of Plane/local", () => {
  it("stops and lifts, the file first, and shows what stands", async () => {
    const site = await converged()
    await site.run(patch(site, { stop: [{ object: key("w1"), reason: "looking" }] }))
    expect(site.sim.stop.entries()).toMatchObject([
      { loop: "*", object: key("w1"), scope: "all", by: "ann", reason: "looking" },
    ])
    await drift(site, "w0", "w1")
    expect(colors(site).sort()).toEqual(["w0 red", "w1 blue", "w2 red"])
    expect(await shown(site)).toMatchObject({
      spec: { stop: [{ object: key("w1"), by: "ann" }] },
      status: { stops: [{ text: expect.stringContaining("by ann: looking") }] },
    })
    await site.run(patch(site, { stop: [] }))
    expect(site.sim.stop.entries()).toEqual([])
    await site.clock.advance(5000)
    expect(colors(site)).toContain("w1 red")
    expect(await shown(site)).toMatchObject({ spec: { stop: [] }, status: { stops: [] } })
    const types = (await site.journal("plane")).map(({ event }) => event.type)
    expect(types.slice(-2)).toEqual(["stop", "resume"])
  })

  it("writes nothing in a dry run", async () => {
    const site = await converged(1)
    await site.run(patch(site, { stop: [{}] }, ann, true))
    expect(site.sim.stop.entries()).toEqual([])
    await stop(site, {})
    await site.run(patch(site, { stop: [] }, ann, true))
    expect(site.sim.stop.entries()).toHaveLength(1)
  })

  it("lets an agent add and nobody but a person take away or shorten", async () => {
    const site = await converged()
    const until = inHours(site, 1)
    await stop(site, { object: key("w0"), until: inHours(site, 5) })
    const list = at((await shown(site))?.spec, "stop") as Json[]
    await site.run(patch(site, { stop: [...list, { object: key("w1") }] }, bot))
    expect(site.sim.stop.entries().map(({ by }) => by)).toEqual(["ann", "bot"])
    const shorter = patch(site, { stop: [{ object: key("w0"), until }, list[1] ?? {}] }, bot)
    expect(await site.refused(shorter)).toContain("only people")
    await site.clock.advance(1000)
    const both = at((await shown(site))?.spec, "stop") as Json[]
    await site.run(patch(site, { stop: [{ object: key("w0"), until }, both[1] ?? {}] }))
    expect(site.sim.stop.entries().map((one) => one.until)).toContain(until)
    expect(site.sim.stop.entries()).toHaveLength(2)
  })

  it("does not lift what was written into the file and not shown yet", async () => {
    const site = await converged(1)
    site.sim.stop.write([{ loop: "*", scope: "all", by: "the file", at: "" }])
    await site.run(patch(site, { stop: [{ provider: "sim" }] }))
    await site.run(patch(site, { stop: [] }))
    expect(site.sim.stop.entries()).toMatchObject([{ loop: "*", by: "the file" }])
  })

  it("is refused when it can't be understood or comes from a source", async () => {
    const site = await converged(1)
    expect(await site.refused(patch(site, { stop: [{ until: "soon" }] }))).toContain("no time")
    const source = sourcePrincipal("default.site")
    expect(await site.refused(patch(site, { stop: [{}] }, source))).toContain("only the engine")
    const { verbs } = site.sim.plane.api
    const options = { subresource: "status" } as const
    const status = verbs.patch(ann, plane, "merge", { status: { stops: [] } }, options)
    expect(await site.refused(status)).toContain("only the engine")
    expect(await site.refused(site.as(ann).delete(plane))).toContain("only the engine")
    expect(site.sim.stop.entries()).toEqual([])
  })
})
