// Windows of deletes hold over restarts, clocks that jump, permissions that are used late and lists
// that are not complete; each with its twin.

import { afterEach, describe, expect, it } from "vitest"
import { disarm, type Protection } from "../../src/base/protections.ts"
import { ann, names, Site, widget } from "./site.ts"

const minute = 60_000
const hour = 60 * minute
const all = (count: number, from = 0) =>
  names(count)
    .slice(from)
    .map((name) => widget(name))

let rearm = () => {}
afterEach(() => rearm())

function twin(protection: Protection, promise: string, lives: () => Promise<boolean>): void {
  it(promise, async () => expect(await lives()).toBe(true))
  it(`${promise} (twin: not without ${protection})`, async () => {
    rearm = disarm(protection)
    expect(await lives()).toBe(false)
  })
}

const limits = { deletes: 2, deletesPercent: 100, window: "10m" }

/** Two of ten are gone: the window is full. */
async function full(): Promise<Site> {
  const site = await Site.open({ loop: { limits } })
  await site.declare(all(10))
  await site.declare(all(10, 2))
  expect(site.there()).toHaveLength(8)
  return site
}

describe("a full window", () => {
  twin("windows-outlive-restarts", "is not emptied by a clock that jumped", async () => {
    const site = await full()
    site.clock.jumpWall(hour)
    await site.restart()
    await site.declare(all(10, 3))
    return site.there().length === 8
  })

  it("is not emptied while nobody knows how long the machine was away", async () => {
    const site = await full()
    await site.sim.stopPlane()
    site.clock.reboot()
    site.clock.jumpWall(hour)
    await site.sim.start()
    await site.declare(all(10, 3))
    expect(site.there()).toHaveLength(8)
    await site.clock.advance(11 * minute)
    await site.declare(all(10, 4))
    expect(site.there()).toHaveLength(6)
  })

  it("is empty again after a time that the machine was up and the plane was not", async () => {
    const site = await full()
    await site.sim.stopPlane()
    site.clock.jumpWall(-3 * hour)
    await site.clock.advance(11 * minute)
    await site.sim.start()
    await site.clock.advance(3000)
    await site.declare(all(10, 3))
    expect(site.there()).toHaveLength(7)
  })
})

describe("a permitted delete", () => {
  twin("permission-counts-until-used", "counts until it is done, however late", async () => {
    const loop = { limits: { ...limits, deletes: 1, window: "1m" } }
    const site = await Site.open({ source: false, loop })
    for (const name of names(4)) await site.create(widget(name))
    await site.clock.advance(2000)
    const stopped = { loop: site.loopId, scope: "deletes" }
    await site.run(site.as(ann).call("POST", "/setpoint/v1/stop", stopped))
    await site.run(site.delete("w0"))
    await site.clock.advance(2 * minute)
    await site.run(site.delete("w1").catch(() => undefined))
    await site.clock.advance(1000)
    await site.run(site.as(ann).call("POST", "/setpoint/v1/resume", stopped))
    await site.clock.advance(20_000)
    const before = site.there()
    await site.run(site.delete("w2").catch(() => undefined))
    await site.clock.advance(20_000)
    return before.length === 3 && site.there().length === 3
  })
})

describe("a list that is not complete", () => {
  twin("destruction-after-complete-look", "destroys nothing of what it shows", async () => {
    const site = await Site.open({ source: false, flavour: "list", loop: { limits } })
    for (const name of names(4)) await site.create(widget(name))
    await site.clock.advance(2000)
    const shown = site.world.targets()[0]?.identity ?? ""
    site.world.faults.add({ how: "partialList", on: ["list"] })
    await site.run(site.delete(shown))
    await site.clock.advance(10_000)
    const kept = site.there().length === 4
    site.world.faults.calm()
    await site.clock.advance(10_000)
    expect(site.there()).toHaveLength(3)
    return kept
  })
})

describe("an act that takes a field away", () => {
  it("is not taken for done without an answer and with the field still there", async () => {
    const site = await Site.open({ loop: { limits } })
    await site.declare([widget("a", { rules: [{ name: "ssh", port: 22 }] }), widget("b")])
    site.world.faults.add({ how: "hang", on: ["update"], times: 1 })
    await site.declare([widget("a"), widget("b")], minute)
    await site.clock.advance(minute)
    expect(site.world.find("a")[0]?.value.rules ?? []).toEqual([])
    expect(await site.reason("a")).toBe("Converged")
  })
})
