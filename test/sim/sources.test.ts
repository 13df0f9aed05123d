import { describe, expect, it } from "vitest"
import { at } from "../../src/base/json.ts"
import { flavours, names, Site, widget } from "./site.ts"

const all = (count: number) => names(count).map((name) => widget(name))

async function sourceOf(site: Site): Promise<string> {
  const status = await site.status()
  const loops = status.loops
  const found = Array.isArray(loops)
    ? loops.find((one) => at(one, "id") === "default.site")
    : undefined
  return JSON.stringify(at(found, "source"))
}

describe.each(flavours)("a doubtful source (%s)", (flavour) => {
  it.each(["unreadable", "invalid"] as const)("keeps the last good state when %s", async (kind) => {
    const site = await Site.open({ flavour })
    await site.declare(all(20))
    const before = site.mutations
    site.sim.source.fail("a.yaml:3:7 is broken", kind)
    await site.clock.advance(20 * 60_000)
    expect(site.mutations).toBe(before)
    expect(site.plans()).toEqual([])
    expect(await site.objects()).toHaveLength(20)
    expect(await sourceOf(site)).toContain("a.yaml:3:7 is broken")
    expect(await sourceOf(site)).toContain(kind)
    site.world.edit("w3", { color: "blue" })
    await site.look()
    expect(site.world.find("w3")[0]?.value.color).toBe("red")
    await site.declare(all(21))
    expect(site.there()).toHaveLength(21)
  })

  it("holds everything when the source is emptied", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(20))
    await site.declare([])
    expect(site.there()).toHaveLength(20)
    expect(site.pending().held).toHaveLength(20)
    await site.declare(all(20))
    expect(site.plans("Pending")).toEqual([])
    expect(site.there()).toHaveLength(20)
  })

  it("takes nothing of a revision in which one manifest is refused", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(5))
    await site.declare([...all(3), widget("bad", { size: "large" }), widget("good")])
    expect(site.there()).toHaveLength(5)
    expect(await sourceOf(site)).toContain("invalid")
    await site.declare([...all(5), widget("good")])
    expect(site.there()).toHaveLength(6)
  })

  it("keeps the last good state when it starts with an unreadable source", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(20))
    await site.sim.stopPlane()
    site.sim.source.fail("not mounted")
    await site.sim.start()
    await site.clock.advance(20 * 60_000)
    expect(site.there()).toHaveLength(20)
    expect(await site.objects()).toHaveLength(20)
    expect(await sourceOf(site)).toContain("r1")
  })

  it("remembers a rejection although it starts with an unreadable source", async () => {
    const site = await Site.open({ flavour, loop: { onDrift: "Hold" } })
    await site.declare(all(3))
    site.world.edit("w1", { color: "blue" })
    await site.look()
    await site.reject()
    await site.sim.stopPlane()
    site.sim.source.fail("not mounted")
    await site.sim.start()
    await site.look()
    expect(site.plans("Pending")).toEqual([])
    expect(site.world.find("w1")[0]?.value.color).toBe("blue")
  })

  it("makes an object again that comes back while its delete is under way", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(5))
    site.world.faults.add({ how: "slow", ms: 8000, on: ["delete", "batch"], times: 1 })
    await site.declare(all(4), 1000)
    await site.declare(all(5), 120_000)
    expect(site.there()).toHaveLength(5)
    expect((await site.objects()).filter((one) => one.metadata.deletionTimestamp)).toEqual([])
  })

  it("removes downstream what the manifest no longer sets", async () => {
    const site = await Site.open({ flavour })
    await site.declare([widget("a", { tags: ["x", "y"] })])
    expect(site.world.find("a")[0]?.value.tags).toEqual(["x", "y"])
    await site.declare([widget("a")])
    expect(site.world.find("a")[0]?.value.tags ?? []).toEqual([])
  })
})
