import { describe, expect, it } from "vitest"
import { flavours, names, Site, widget } from "./site.ts"

const large = process.env.SETPOINT_TEST_FULL === "1" ? 10_000 : 1500
const all = (count: number) => names(count).map((name) => widget(name))
const acts = (site: Site) => {
  const { create, update, delete: removed, batch } = site.world.calls
  return create + update + removed + batch
}

describe.each(flavours)("a quiet loop (%s)", (flavour) => {
  it("writes nothing, neither outside nor to the store, however often it looks", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(50))
    await site.look()
    await site.clock.advance(20 * 60_000)
    const before = [site.revision, site.mutations, acts(site)]
    for (let pass = 0; pass < 10; pass++) await site.look()
    await site.clock.advance(60 * 60_000)
    expect([site.revision, site.mutations, acts(site)]).toEqual(before)
  })

  it("writes nothing either while something is held, or after a restart", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(50))
    await site.declare(all(20))
    await site.clock.advance(20 * 60_000)
    const held = [site.revision, site.mutations]
    for (let pass = 0; pass < 5; pass++) await site.look()
    expect([site.revision, site.mutations]).toEqual(held)
    await site.restart()
    await site.clock.advance(20 * 60_000)
    const restarted = site.revision
    await site.look()
    await site.look()
    expect([site.revision, site.mutations]).toEqual([restarted, held[1]])
  })

  it("goes quiet although the system writes values down in its own way", async () => {
    const decorate = (value: object) => ({ ...value, made: "by the system" })
    const site = await Site.open({ flavour, world: { decorate } })
    await site.declare(all(5))
    const before = site.mutations
    for (let pass = 0; pass < 5; pass++) await site.look()
    expect(site.mutations).toBe(before)
  })
})

it(`ten looks at ${large} objects change nothing outside, and read once each`, async () => {
  const site = await Site.open({ flavour: "batch" })
  await site.declare(all(large), 30_000)
  expect(site.there()).toHaveLength(large)
  await site.clock.advance(20 * 60_000)
  const before = [site.revision, acts(site), site.mutations]
  const lists = site.world.calls.list
  for (let pass = 0; pass < 10; pass++) await site.look()
  expect([site.revision, acts(site), site.mutations]).toEqual(before)
  expect(site.world.calls.list - lists).toBeLessThanOrEqual(12)
}, 120_000)

describe("a clock that jumps", () => {
  const renamedColor = (count: number, color: string) =>
    names(count).map((name) => widget(name, { color }))

  it.each([-3_600_000, 3_600_000, 86_400_000])(
    "by %i ms neither empties nor fills windows",
    async (ms) => {
      const limits = { changes: 4, deletes: 2, deletesPercent: 100, window: "10m" }
      const site = await Site.open({ loop: { limits } })
      await site.declare(all(10))
      await site.declare(renamedColor(10, "blue"))
      const blue = () => site.world.targets().filter((one) => one.value.color === "blue").length
      expect(blue()).toBe(4)
      await site.declare(renamedColor(8, "blue"))
      expect(site.there()).toHaveLength(8)
      site.clock.jumpWall(ms)
      await site.clock.advance(60_000)
      await site.look()
      expect(blue()).toBe(4)
      await site.declare(renamedColor(7, "blue"))
      expect(site.there()).toHaveLength(8)
      await site.clock.advance(10 * 60_000)
      expect(blue()).toBeGreaterThan(4)
    },
  )

  it("does not stop the level trigger or the stores' leases", async () => {
    const site = await Site.open({ loop: { interval: "1m" } })
    await site.declare(all(3))
    site.clock.jumpWall(-86_400_000)
    site.world.edit("w1", { color: "blue" })
    await site.clock.advance(90_000)
    expect(site.world.find("w1")[0]?.value.color).toBe("red")
    await site.verify()
  })
})
