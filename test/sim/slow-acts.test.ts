import { describe, expect, it } from "vitest"
import { ann, loops, names, Site, widget } from "./site.ts"

const all = (count: number) => names(count).map((name) => widget(name))
const corrections = (site: Site) =>
  site.world.ledger.filter((one) => one.verb === "updated" && one.who !== "somebody").length

/** Acts take long, so that admitted ones wait for their turn. */
async function slow(count: number, loop = {}): Promise<Site> {
  const site = await Site.open({ loop })
  await site.declare(all(count))
  site.world.faults.add({ how: "slow", ms: 8000, on: ["update", "delete"] })
  return site
}

describe("acts that wait for their turn", () => {
  it("count in the window from the moment they are admitted", async () => {
    const site = await slow(60, { limits: { changes: 20, window: "10m" } })
    for (const name of names(60)) site.world.edit(name, { color: "blue" })
    for (let pass = 0; pass < 5; pass++) await site.look(500)
    await site.clock.advance(120_000)
    expect(corrections(site)).toBe(20)
  })

  it("do not begin once the loop only observes", async () => {
    const site = await slow(40, { limits: { changes: 100 } })
    for (const name of names(40)) site.world.edit(name, { color: "blue" })
    await site.look(1000)
    const ref = { ...loops, namespace: "default", name: "site" }
    await site.run(site.as(ann).patch(ref, "merge", { spec: { mode: "Observe" } }))
    await site.clock.advance(120_000)
    expect(corrections(site)).toBe(16)
  })

  it("count replaces among the deletes from the moment they are admitted", async () => {
    const limits = { changes: 100, deletes: 20, deletesPercent: 100 }
    const site = await slow(60, { limits })
    const list = all(60)
    for (let index = 0; index < 40; index++) {
      list[index] = { ...widget(`w${index}`), spec: { name: `m${index}`, size: 1, color: "red" } }
      if (index % 4 === 3) await site.declare(list, 700)
    }
    await site.clock.advance(300_000)
    const deleted = site.world.ledger.filter((one) => one.verb === "deleted").length
    expect(deleted).toBeLessThanOrEqual(20)
  })
})
