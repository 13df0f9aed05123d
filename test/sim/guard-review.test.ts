// Ways around the guards of a loop that must stay closed: in each scenario somebody, or something,
// would get more than a person agreed to.

import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import { names, Site, type SiteOptions, widget } from "./site.ts"

const minute = 60_000

const many = (count: number, spec: JsonObject = {}) =>
  names(count).map((name) => widget(name, spec))

async function converged(count: number, options: SiteOptions = {}): Promise<Site> {
  const site = await Site.open(options)
  await site.declare(many(count))
  expect(site.there().length).toBe(count)
  return site
}

describe("targets that vanished all at once", () => {
  async function blinded(interval: string): Promise<{ site: Site; made: () => number }> {
    const site = await converged(6, { loop: { interval } })
    const before = site.world.calls.create
    site.world.faults.add({ how: "lieEmpty", on: ["observe", "list"] })
    await site.look(8000)
    return { site, made: () => site.world.calls.create - before }
  }

  it("stay held for as long as they are gone, however often that is seen", async () => {
    const { site, made } = await blinded("5m")
    await site.clock.advance(61 * minute)
    expect(made()).toBe(0)
  })

  it("stay held when one of them is looked at alone, long after", async () => {
    const { site, made } = await blinded("6h")
    await site.clock.advance(15 * minute)
    const [first] = site.loop.held.all()
    site.sim.plane.engine.queue.add(first?.action.object ?? "")
    await site.clock.advance(5000)
    expect(made()).toBe(0)
  })

  it("stay held over a restart", async () => {
    const { site, made } = await blinded("5m")
    await site.restart()
    await site.clock.advance(31 * minute)
    expect(made()).toBe(0)
    expect(site.pending().held.length).toBe(6)
  })
})
