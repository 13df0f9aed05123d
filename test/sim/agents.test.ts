// What agents and services may declare: never what only a person decides, also not in other words.

import { afterEach, describe, expect, it } from "vitest"
import { disarm } from "../../src/base/protections.ts"
import type { Principal } from "../../src/contract/principal.ts"
import { ann, bot, cron, loops, Site, widget, widgets } from "./site.ts"

let arm = () => {}
afterEach(() => arm())

const makeLoop = (site: Site, who: Principal, mode: string) => {
  const metadata = { name: `of-${who.name}`, namespace: "default" }
  const object = { apiVersion: "setpoint.dev/v1alpha1", kind: "Loop", metadata, spec: { mode } }
  return site.as(who).create(loops, object)
}

describe("a loop that is made", () => {
  it("by an agent or a service does not act before a person lets it", async () => {
    const site = await Site.open()
    for (const who of [bot, cron]) {
      for (const mode of ["Propose", "Enforce"]) {
        expect(await site.refused(makeLoop(site, who, mode))).toContain("is not a person")
      }
      await site.run(makeLoop(site, who, "Observe"))
    }
    await site.run(makeLoop(site, ann, "Enforce"))
  })

  it("by an agent acts at once, without promotion-by-a-person", async () => {
    arm = disarm("promotion-by-a-person")
    const site = await Site.open()
    expect((await site.run(makeLoop(site, bot, "Enforce"))).spec?.mode).toBe("Enforce")
  })
})

describe("spec.adopt", () => {
  const adopting = () => widget("w0", { adopt: true })

  async function foreign(): Promise<Site> {
    const site = await Site.open({ source: false })
    const value = { name: "w0", size: 9, color: "blue" }
    site.world.create({ identity: "w0", scope: "all", value }, "somebody")
    return site
  }

  it("is refused to an agent, and what it declares without it waits for a person", async () => {
    const site = await foreign()
    const taking = { ...adopting(), metadata: { name: "w0", namespace: "default" } }
    const refused = await site.refused(site.as(bot).create(widgets, taking))
    expect(refused).toContain("an agent may not decide")
    await site.create(widget("w0"), bot)
    await site.clock.advance(3000)
    expect(site.world.find("w0")[0]?.value.color).toBe("blue")
    const ref = { ...widgets, namespace: "default", name: "w0" }
    const later = site.as(bot).patch(ref, "merge", { spec: { adopt: true } })
    expect(await site.refused(later)).toContain("an agent may not decide")
    await site.approve()
    expect(site.world.find("w0")[0]?.value.color).toBe("red")
  })

  it("takes it for an agent, without agents-never-adopt", async () => {
    arm = disarm("agents-never-adopt")
    const site = await foreign()
    await site.create(adopting(), bot)
    await site.clock.advance(3000)
    expect(site.world.find("w0")[0]?.value.color).toBe("red")
  })

  it("is a person's to say", async () => {
    const site = await foreign()
    await site.create(adopting(), ann)
    await site.clock.advance(3000)
    expect(site.world.find("w0")[0]?.value.color).toBe("red")
  })
})
