import { describe, expect, it } from "vitest"
import { ann, flavours, loops, names, Site, widget, widgets } from "./site.ts"

const all = (count: number) => names(count).map((name) => widget(name))

describe.each(flavours)("hard cases (%s)", (flavour) => {
  it("what was approved goes although the source comes back, and is made again", async () => {
    const site = await Site.open({ flavour, loop: { interval: "1m" } })
    await site.declare(all(20))
    await site.declare(all(10))
    const plan = site.pending()
    site.world.faults.add({ how: "slow", ms: 5000, on: ["delete", "batch"], times: 10 })
    await site.approve(plan, {}, 200)
    await site.declare(all(20), 300_000)
    expect(site.there()).toEqual(names(20).sort())
    expect((await site.objects()).filter((one) => one.metadata.deletionTimestamp)).toEqual([])
    expect(site.plans("Pending")).toEqual([])
  })

  it("the second claimant takes over when the first one goes", async () => {
    const site = await Site.open({ flavour, loop: { limits: { deletesPercent: 100 } } })
    const same = (name: string) => ({
      ...widget(name),
      spec: { name: "same", size: 1, color: "red" },
    })
    await site.declare([same("first"), widget("b"), widget("c")])
    await site.declare([same("first"), same("second"), widget("b"), widget("c")])
    expect(await site.reason("second")).toBe("TargetConflict")
    await site.declare([same("second"), widget("b"), widget("c")], 10_000)
    await site.look()
    expect(await site.reason("second")).toBe("Converged")
    expect(site.world.find("same")).toHaveLength(1)
  })

  it("deletes over several loops are held together, also where one alone would go", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(5))
    for (const name of names(3, "api")) await site.create(widget(name))
    await site.clock.advance(2000)
    const asked = site.as(ann).deleteCollection(widgets, { namespace: "default" })
    expect(await site.refused(asked)).toMatch(/declared|held|source/)
    expect(site.there()).toHaveLength(8)
  })

  it("a deleted loop releases its objects and never prunes", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(10))
    const before = site.mutations
    await site.run(site.as(ann).delete({ ...loops, namespace: "default", name: "site" }))
    await site.clock.advance(60_000)
    expect(site.there()).toHaveLength(10)
    expect(site.mutations).toBe(before)
    expect(await site.objects()).toHaveLength(10)
  })

  it("an object deleted and made again by the same name is another one", async () => {
    const site = await Site.open({ flavour, source: false })
    await site.create(widget("a"))
    await site.create(widget("b"))
    await site.clock.advance(2000)
    const first = (await site.object("a"))?.metadata.uid
    await site.run(site.delete("a"))
    await site.clock.advance(5000)
    await site.create(widget("a", { size: 3 }))
    await site.clock.advance(5000)
    expect((await site.object("a"))?.metadata.uid).not.toBe(first)
    const about = site.world.ledger.filter((one) => one.identity === "a").map((one) => one.verb)
    expect(about).toEqual(["created", "deleted", "created"])
    expect(site.world.find("a")[0]?.value.size).toBe(3)
  })

  it("one object that always fails does not keep the others waiting", async () => {
    const site = await Site.open({ flavour: flavour === "batch" ? "list" : flavour })
    site.world.faults.add({ how: "refused", on: ["create"], identity: "w3" })
    await site.declare(all(30))
    expect(site.there()).toHaveLength(29)
    expect(await site.condition("w3", "Stalled")).toMatchObject({ status: "True" })
    site.world.faults.calm()
    await site.look()
    expect(site.there()).toHaveLength(30)
  })

  it("a delete that nobody could judge, for want of a provider, waits for a person", async () => {
    const site = await Site.open({ flavour, source: false })
    for (const name of names(3)) await site.create(widget(name))
    await site.clock.advance(2000)
    await site.sim.stopPlane()
    const { kinds } = site.sim
    site.sim.kinds = []
    await site.sim.start()
    await site.run(site.delete("w0"))
    await site.sim.stopPlane()
    site.sim.kinds = kinds
    await site.sim.start()
    await site.clock.advance(60_000)
    expect(site.there()).toEqual(names(3))
    expect(site.pending().held[0]?.reasons[0]?.code).toBe("NotJudged")
    await site.approve()
    expect(site.there()).toEqual(["w1", "w2"])
    expect(await site.objects()).toHaveLength(2)
  })

  it("a target that someone deletes just before our delete is simply gone", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(5))
    site.world.remove("w4")
    await site.declare(all(4))
    expect(site.there()).toEqual(names(4))
    expect(await site.objects()).toHaveLength(4)
  })
})
