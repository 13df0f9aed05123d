import { describe, expect, it } from "vitest"
import type { Json } from "../../src/base/json.ts"
import { ann, bot, flavours, names, Site, widget } from "./site.ts"

const all = (count: number) => names(count).map((name) => widget(name))
const stop = (site: Site, body: Json = {}) =>
  site.run(site.as(ann).call("POST", "/setpoint/v1/stop", body))
const roomy = { limits: { deletes: 5, deletesPercent: 100 } }
const resume = (site: Site, body: Json = {}) =>
  site.run(site.as(ann).call("POST", "/setpoint/v1/resume", body))

describe.each(flavours)("stop (%s)", (flavour) => {
  it("lets no mutation begin, over a restart and a lost file, until it is lifted", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(10))
    await stop(site, { reason: "looking" })
    const before = site.mutations
    site.world.edit("w1", { color: "blue" })
    await site.declare(all(12))
    await site.look()
    await site.clock.advance(20 * 60_000)
    expect(site.mutations).toBe(before + 1)
    await site.restart()
    await site.clock.advance(20 * 60_000)
    expect(site.mutations).toBe(before + 1)
    site.sim.stop.write([])
    await site.restart()
    expect(site.sim.stop.entries()).toHaveLength(1)
    await site.clock.advance(20 * 60_000)
    expect(site.mutations).toBe(before + 1)
    expect(await site.reason("w11")).toBe("Stopped")
    await resume(site)
    await site.clock.advance(20_000)
    expect(site.there()).toHaveLength(12)
    expect(site.world.find("w1")[0]?.value.color).toBe("red")
  })

  it("does not use up the window while it is stopped", async () => {
    const site = await Site.open({ flavour, loop: { limits: { changes: 5 } } })
    await site.declare(all(4))
    await stop(site)
    for (const name of names(4)) site.world.edit(name, { color: "blue" })
    await site.look()
    await site.clock.advance(20 * 60_000)
    await resume(site)
    await site.clock.advance(5000)
    const colors = site.world.targets().map((target) => target.value.color)
    expect(colors).toEqual(["red", "red", "red", "red"])
  })

  it("lists calls that hang as in flight, and their outcome later", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(3))
    site.world.faults.add({ how: "slow", ms: 20_000, on: ["update", "batch"] })
    site.world.edit("w1", { color: "blue" })
    await site.look(500)
    const answer = await stop(site)
    expect(answer).toMatchObject({ calls: [{ outcome: "running", loop: "default.site" }] })
    await site.clock.advance(25_000)
    const later = await site.run(site.as(ann).call("GET", "/setpoint/v1/in-flight"))
    expect(later).toMatchObject({ calls: [{ outcome: "done" }] })
    site.world.faults.calm()
    const before = site.mutations
    site.world.edit("w2", { color: "blue" })
    await site.look(60_000)
    expect(site.mutations).toBe(before + 1)
  })

  it("stops only deletes when told so, replaces included", async () => {
    const site = await Site.open({ flavour, replaceOn: ["size"], loop: roomy })
    await site.declare(all(5))
    await stop(site, { scope: "deletes" })
    site.world.edit("w1", { color: "blue" })
    await site.declare([...all(4).slice(0, 3), widget("w3", { size: 2 })])
    await site.look()
    await site.clock.advance(60_000)
    expect(site.world.ledger.filter((one) => one.verb === "deleted")).toEqual([])
    expect(site.world.find("w1")[0]?.value.color).toBe("red")
    await resume(site, { scope: "deletes" })
    await site.clock.advance(60_000)
    expect(site.there()).toEqual(["w0", "w1", "w2", "w3"])
    expect(site.world.find("w3")[0]?.value.size).toBe(2)
  })
})

describe("stop of one loop", () => {
  it("leaves other loops alone, and an agent can't lift it", async () => {
    const site = await Site.open()
    await site.declare(all(2))
    await stop(site, { loop: "default.site" })
    await site.create(widget("other"))
    site.world.edit("w1", { color: "blue" })
    await site.look()
    await site.clock.advance(60_000)
    expect(site.there()).toEqual(["other", "w0", "w1"])
    expect(site.world.find("w1")[0]?.value.color).toBe("blue")
    const lift = site.as(bot).call("POST", "/setpoint/v1/resume", { loop: "default.site" })
    expect(await site.refused(lift)).toContain("only people")
    expect(
      await site.refused(site.as(ann).call("POST", "/setpoint/v1/stop", { loop: "x.y" })),
    ).toContain("no such loop")
    await resume(site, { loop: "default.site" })
    await site.clock.advance(5000)
    expect(site.world.find("w1")[0]?.value.color).toBe("red")
  })

  it("stops everything when the file can't be understood", async () => {
    const site = await Site.open()
    await site.declare(all(2))
    site.sim.stop.write([{ loop: "*", scope: "all", by: "the file", at: "" }])
    site.world.edit("w1", { color: "blue" })
    await site.look(60_000)
    expect(site.world.find("w1")[0]?.value.color).toBe("blue")
  })
})
