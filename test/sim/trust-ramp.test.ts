// A loop starts in Observe and is let act by a person, after its clean rounds.

import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import { ann, cron, loops, names, Site, type SiteOptions, widget } from "./site.ts"
import { twin } from "./twin.ts"

const many = (count: number) => names(count).map((name) => widget(name))

describe("the trust ramp", () => {
  const observing: SiteOptions = { loop: { mode: "Observe", interval: "1m", cleanRounds: 2 } }

  it("lets a person promote a loop after its clean rounds, and not before", async () => {
    const site = await Site.open(observing)
    await site.declare(many(3))
    const ref = { ...loops, namespace: "default", name: "site" }
    const promote = (who = ann) => site.as(who).patch(ref, "merge", { spec: { mode: "Enforce" } })
    expect(await site.refused(promote())).toContain("0 of 2 clean rounds")
    await site.clock.advance(190_000)
    await site.run(promote())
    await site.clock.advance(4000)
    expect(site.there().length).toBe(3)
  })

  twin("promotion-by-a-person", "refuses a service that promotes a loop", async () => {
    const site = await Site.open(observing)
    await site.declare(many(3))
    await site.clock.advance(190_000)
    const ref = { ...loops, namespace: "default", name: "site" }
    const asked = site.as(cron).patch(ref, "merge", { spec: { mode: "Enforce" } })
    return site.run(asked).then(
      () => false,
      () => true,
    )
  })

  it("begins the count again when a round was not clean", async () => {
    const site = await Site.open(observing)
    await site.declare(many(3))
    await site.clock.advance(70_000)
    const lift = site.world.faults.add({ how: "serverError", on: ["observe", "list"] })
    await site.clock.advance(120_000)
    expect(site.loop.cleanRounds).toBe(0)
    lift()
    await site.clock.advance(300_000)
    expect(site.loop.cleanRounds).toBe(2)
  })
})

describe("a reason not to wait for clean rounds", () => {
  it("counts once: a loop that observes again has to earn it again", async () => {
    const site = await Site.open({ loop: { mode: "Observe", cleanRounds: 2 } })
    await site.declare(many(3))
    const ref = { ...loops, namespace: "default", name: "site" }
    const patch = (mode: string, annotations: JsonObject = {}) =>
      site.as(ann).patch(ref, "merge", { metadata: { annotations }, spec: { mode } })
    await site.run(patch("Enforce", { "setpoint.dev/promote-now": "a test" }))
    await site.run(patch("Observe"))
    await site.clock.advance(1000)
    expect(await site.refused(patch("Enforce"))).toContain("clean rounds")
  })
})
