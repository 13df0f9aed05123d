import { describe, expect, it } from "vitest"
import { loopLabel } from "../../src/object/object.ts"
import { ann, loops, names, Site, widget } from "./site.ts"

const all = (count: number) => names(count).map((name) => widget(name))
const site = { ...loops, namespace: "default", name: "site" }

describe("letting go", () => {
  it("releases every object when its loop is deleted, and touches no target", async () => {
    const plane = await Site.open()
    await plane.declare(all(5))
    const before = plane.mutations
    await plane.run(plane.as(ann).delete(site))
    await plane.clock.advance(5000)
    expect(plane.mutations).toBe(before)
    expect(plane.there()).toHaveLength(5)
    const objects = await plane.objects()
    expect(objects).toHaveLength(5)
    for (const { metadata } of objects) expect(metadata.labels?.[loopLabel]).toBeUndefined()
    expect(await plane.reason("w0")).toBe("Released")
    plane.world.edit("w0", { color: "blue" })
    await plane.clock.advance(20 * 60_000)
    expect(plane.world.find("w0")[0]?.value.color).toBe("blue")
  })

  it("lets a released object be deleted without its target", async () => {
    const plane = await Site.open()
    await plane.declare(all(3))
    await plane.run(plane.as(ann).delete(site))
    await plane.clock.advance(5000)
    await plane.run(plane.delete("w1"))
    await plane.clock.advance(5000)
    expect(await plane.object("w1")).toBeUndefined()
    expect(plane.there()).toHaveLength(3)
  })

  it("releases and never prunes when a loop is pointed elsewhere", async () => {
    const plane = await Site.open()
    await plane.declare(all(3))
    const patch = { spec: { source: { directory: { path: "/elsewhere" } } } }
    plane.sim.source.declare(all(2), "elsewhere-1")
    const before = plane.mutations
    await plane.run(plane.as(ann).patch(site, "merge", patch))
    await plane.clock.advance(10_000)
    expect(plane.mutations).toBe(before)
    expect(plane.there()).toEqual(["w0", "w1", "w2"])
    expect(await plane.reason("w2")).toBe("Released")
    expect(await plane.reason("w0")).toBe("Converged")
    await plane.declare(all(1))
    expect(plane.there()).toEqual(["w0", "w2"])
  })
})
