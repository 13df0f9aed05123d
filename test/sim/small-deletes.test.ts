import { describe, expect, it } from "vitest"
import { ann, bot, cron, flavours, loops, names, Site, widget, widgets } from "./site.ts"

const of = (...list: readonly string[]) => list.map((name) => widget(name))

describe.each(flavours)("few deletes (%s)", (flavour) => {
  it("deletes 1 of 3 without asking", async () => {
    const site = await Site.open({ flavour })
    await site.declare(of("a", "b", "c"))
    await site.declare(of("a", "b"))
    expect(site.there()).toEqual(["a", "b"])
    expect((await site.objects()).map((one) => one.metadata.name)).toEqual(["a", "b"])
    expect(site.plans()).toEqual([])
  })

  it("holds 3 of 3, in one step or one by one", async () => {
    const site = await Site.open({ flavour })
    await site.declare(of("a", "b", "c"))
    await site.declare([])
    expect(site.there()).toEqual(["a", "b", "c"])
    const codes = site.pending().held[0]?.reasons.map((reason) => reason.code)
    expect(codes).toContain("EmptySet")
    await site.declare(of("b", "c"))
    await site.clock.advance(11 * 60_000)
    await site.declare(of("c"))
    await site.clock.advance(11 * 60_000)
    await site.declare([])
    expect(site.there()).toEqual(["c"])
  })

  it("holds 100 deletes that come as ten times ten", async () => {
    const site = await Site.open({ flavour, loop: { limits: { deletes: 10, deletesPercent: 50 } } })
    const all = names(200)
    await site.declare(of(...all))
    for (let gone = 10; gone <= 100; gone += 10) await site.declare(of(...all.slice(gone)))
    expect(site.there()).toHaveLength(190)
    expect(site.pending().held).toHaveLength(90)
  })
})

describe("deletes by API", () => {
  async function ofApi(count: number, loop = {}): Promise<Site> {
    const site = await Site.open({ source: false, loop })
    for (const name of names(count)) await site.create(widget(name))
    await site.clock.advance(2000)
    expect(site.there()).toHaveLength(count)
    return site
  }

  it("lets a person delete the last one by name, within the window's count", async () => {
    const site = await ofApi(2)
    await site.run(site.delete("w0"))
    await site.run(site.delete("w1"))
    await site.clock.advance(3000)
    expect(site.there()).toEqual([])
    expect(await site.objects()).toEqual([])
  })

  it("holds a person's deletes by name when the window's count is used", async () => {
    const site = await ofApi(10)
    for (const name of names(5)) await site.run(site.delete(name))
    const refusal = await site.refused(site.delete("w5"))
    expect(refusal).toContain(site.pending().name)
    await site.clock.advance(3000)
    expect(site.there()).toHaveLength(5)
    await site.approve()
    expect(site.there()).toHaveLength(4)
    await site.clock.advance(11 * 60_000)
    await site.run(site.delete("w6"))
    await site.clock.advance(3000)
    expect(site.there()).toHaveLength(3)
  })

  it.each([cron, bot])("holds the last one of a kind for $kind", async (who) => {
    const site = await ofApi(1)
    expect(await site.refused(site.delete("w0", who))).toContain("held")
    await site.clock.advance(3000)
    expect(site.there()).toEqual(["w0"])
    expect((await site.object("w0"))?.metadata.deletionTimestamp).toBeUndefined()
  })

  it("judges a collection as one set, and the same request gets the same plan", async () => {
    const site = await ofApi(20)
    const ask = () => site.refused(site.as(ann).deleteCollection(widgets, { namespace: "default" }))
    const first = await ask()
    expect(first).toContain(site.pending().name)
    expect(await ask()).toBe(first)
    expect(site.there()).toHaveLength(20)
    expect(site.pending().held).toHaveLength(20)
    await site.approve()
    expect(site.there()).toEqual([])
  })

  it("judges a cascade as one set and marks nothing of it", async () => {
    const site = await ofApi(1)
    const owner = await site.object("w0")
    const { uid = "" } = owner?.metadata ?? {}
    const reference = { apiVersion: "sim.setpoint.dev/v1", kind: "Widget", name: "w0", uid }
    for (const name of names(30, "child")) {
      const child = widget(name)
      const metadata = { ...child.metadata, ownerReferences: [reference] }
      await site.create({ ...child, metadata })
    }
    await site.clock.advance(2000)
    expect(await site.refused(site.delete("w0"))).toContain("held")
    expect(site.there()).toHaveLength(31)
    expect((await site.object("w0"))?.metadata.deletionTimestamp).toBeUndefined()
    expect(site.pending().held).toHaveLength(31)
    await site.approve()
    expect(site.there()).toEqual([])
    expect(await site.objects()).toEqual([])
  })

  it("judges a namespace's deletion as one set, and loops go last", async () => {
    const site = await ofApi(0)
    const namespaces = { group: "", version: "v1", resource: "namespaces" } as const
    const metadata = { name: "team" }
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata }
    await site.run(site.as(ann).create(namespaces, namespace))
    await site.clock.advance(1000)
    for (const name of names(12)) {
      const object = widget(name)
      const inTeam = { ...object, metadata: { name, namespace: "team" } }
      await site.run(site.as(ann).create(widgets, inTeam))
    }
    await site.clock.advance(2000)
    const ref = { ...namespaces, namespace: "", name: "team" }
    expect(await site.refused(site.as(ann).delete(ref))).toContain("held")
    expect(site.there()).toHaveLength(12)
    expect((await site.run(site.as(ann).get(ref)))?.metadata.deletionTimestamp).toBeUndefined()
    const plans = site.sim.plane.engine.ledger.plans.ofLoop("team.default")
    expect(plans.map((plan) => plan.phase)).toEqual(["Pending"])
    const [plan] = plans
    if (plan === undefined) throw new Error("no plan")
    const path = `/apis/setpoint.dev/v1alpha1/namespaces/team/plans/${plan.name}/approval`
    await site.run(site.as(ann).call("POST", path, { hash: plan.hash }))
    await site.clock.advance(5000)
    expect(site.there()).toEqual([])
    await site.run(site.as(ann).delete(ref))
    await site.clock.advance(5000)
    expect(await site.run(site.as(ann).get(ref))).toBeUndefined()
    const loop = { ...loops, namespace: "team", name: "default" }
    expect(await site.run(site.as(ann).get(loop))).toBeUndefined()
  })

  it("keeps a held request over a restart", async () => {
    const site = await ofApi(20)
    await site.refused(site.as(ann).deleteCollection(widgets, { namespace: "default" }))
    const { name } = site.pending()
    await site.restart()
    expect(site.pending().name).toBe(name)
    await site.approve()
    expect(site.there()).toEqual([])
  })

  it("reserves nothing for a dry run", async () => {
    const site = await ofApi(10)
    const ref = (name: string) => ({ ...widgets, namespace: "default", name })
    for (const name of names(10)) {
      await site.run(site.as(ann).delete(ref(name), { dryRun: true }))
    }
    for (const name of names(5)) await site.run(site.delete(name))
    await site.clock.advance(3000)
    expect(site.there()).toHaveLength(5)
    expect(site.plans()).toEqual([])
  })
})

describe("deleting what is not ours", () => {
  it("leaves a target that was there before, equal and never adopted", async () => {
    const site = await Site.open({ marks: false })
    site.world.create(
      { identity: "a", scope: "all", value: { name: "a", size: 1, color: "red" } },
      "x",
    )
    await site.declare(of("a", "b", "c"))
    expect(await site.reason("a")).toBe("Matched")
    await site.declare(of("b", "c"))
    expect(site.there()).toEqual(["a", "b", "c"])
    expect((await site.objects()).map((one) => one.metadata.name)).toEqual(["b", "c"])
  })
})
