import { describe, expect, it } from "vitest"
import { at } from "../../src/base/json.ts"
import { flavours, Site, widget } from "./site.ts"

const wide = 9223372036854775807n

describe.each(flavours)("an integer of 64 bits in a declaration (%s)", (flavour) => {
  it("is made, healed and recorded to the last digit, and survives a restart", async () => {
    const site = await Site.open({ flavour })
    const size = () => site.world.targets().map(({ value }) => value.size)
    await site.declare([widget("a", { size: wide })])
    expect(size()).toEqual([wide])
    expect(await site.reason("a")).toBe("Converged")
    const quiet = site.mutations
    for (let look = 0; look < 3; look++) await site.look()
    expect(site.mutations).toBe(quiet)
    site.world.edit("a", { size: wide - 2n })
    await site.look()
    expect(size()).toEqual([wide])
    await site.declare([widget("a", { size: wide - 1n })])
    expect(size()).toEqual([wide - 1n])
    await site.restart()
    await site.look()
    expect(at((await site.object("a"))?.spec, "size")).toBe(wide - 1n)
    expect(size()).toEqual([wide - 1n])
    expect(await site.verify()).toBeGreaterThan(0)
  })
})
