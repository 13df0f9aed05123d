import { describe, expect, it } from "vitest"
import { ann, bot, flavours, names, Site, widget } from "./site.ts"

const hundred = names(100).map((name) => widget(name))
const doomed = names(40)

async function fortyRemoved(flavour: (typeof flavours)[number], loop = {}): Promise<Site> {
  const site = await Site.open({ flavour, loop })
  await site.declare(hundred)
  expect(site.there()).toHaveLength(100)
  await site.declare(hundred.slice(40))
  return site
}

const marked = async (site: Site) =>
  (await site.objects()).filter((one) => one.metadata.deletionTimestamp !== undefined)

describe.each(flavours)("40 of 100 removed from the source (%s)", (flavour) => {
  it("executes none, marks nothing and shows them in one plan", async () => {
    const site = await fortyRemoved(flavour)
    expect(site.there()).toHaveLength(100)
    expect(await marked(site)).toEqual([])
    expect(await site.objects()).toHaveLength(100)
    const plan = site.pending()
    expect(plan.held.map(({ action }) => action.verb)).toEqual(Array(40).fill("delete"))
    expect(plan.held[0]?.reasons[0]).toMatchObject({ code: "DeleteLimit" })
    expect(await site.condition("w0", "Held")).toMatchObject({ reason: "DeleteHeld" })
  })

  it("heals unrelated drift meanwhile, and that does not void the plan", async () => {
    const site = await fortyRemoved(flavour)
    const plan = site.pending()
    site.world.edit("w77", { color: "blue" })
    site.world.remove("w88")
    await site.look()
    expect(site.world.find("w77")[0]?.value.color).toBe("red")
    expect(site.world.find("w88")).toHaveLength(1)
    expect(site.pending()).toMatchObject({ name: plan.name, hash: plan.hash })
    await site.approve(plan)
    expect(site.there()).toHaveLength(60)
  })

  it("leaves drift of covered targets alone and makes a new plan of it", async () => {
    const site = await fortyRemoved(flavour)
    const plan = site.pending()
    site.world.edit("w7", { color: "blue" })
    await site.look()
    expect(site.world.find("w7")[0]?.value.color).toBe("blue")
    expect(site.plan(plan.name).phase).toBe("Superseded")
    expect(await site.refused(site.approval(plan))).toContain("w7")
    expect(site.there()).toHaveLength(100)
    const next = site.pending()
    expect(next.held).toHaveLength(40)
    await site.approve(next)
    expect(site.there()).toHaveLength(60)
  })

  it("refuses an approval whose covered target changed a moment ago, and names it", async () => {
    const site = await fortyRemoved(flavour)
    const plan = site.pending()
    site.world.edit("w7", { color: "blue" })
    const refusal = await site.refused(site.approval(plan))
    expect(refusal).toContain("w7")
    await site.clock.advance(3000)
    expect(site.there()).toHaveLength(100)
    expect(site.plan(plan.name).phase).toBe("Stale")
    const next = site.pending()
    expect(next.held).toHaveLength(40)
    expect(site.world.find("w7")[0]?.value.color).toBe("blue")
    await site.approve(next)
    expect(site.there()).toHaveLength(60)
  })

  it("performs exactly them when approved", async () => {
    const site = await fortyRemoved(flavour)
    const before = site.mutations
    const plan = site.pending()
    await site.approve()
    const made = site.world.ledger.slice(before)
    expect(made.map((one) => one.verb)).toEqual(Array(40).fill("deleted"))
    expect(made.map((one) => one.identity).sort()).toEqual([...doomed].sort())
    expect(await site.objects()).toHaveLength(60)
    expect(site.plan(plan.name)).toMatchObject({ phase: "Done" })
    expect(site.plans("Pending")).toEqual([])
    await site.verify()
    expect(site.sim.errors).toEqual([])
  })

  it("leaves all 100 when rejected, and asks again only when the source changes", async () => {
    const site = await fortyRemoved(flavour)
    const before = site.mutations
    await site.reject()
    await site.look()
    await site.clock.advance(30 * 60_000)
    expect(site.plans("Pending")).toEqual([])
    expect(site.mutations).toBe(before)
    expect(await site.objects()).toHaveLength(100)
    expect(await site.reason("w0")).toBe("Converged")
    await site.restart()
    expect(site.plans("Pending")).toEqual([])
    await site.declare([...hundred.slice(40), widget("new")])
    expect(site.pending().held).toHaveLength(40)
    expect(site.there()).toHaveLength(101)
  })

  it("clears the hold when the source is restored", async () => {
    const site = await fortyRemoved(flavour)
    const plan = site.pending()
    await site.declare(hundred)
    expect(site.plan(plan.name).phase).toBe("Stale")
    expect(site.plans("Pending")).toEqual([])
    expect(await site.condition("w0", "Held")).toBeUndefined()
    expect(await site.reason("w0")).toBe("Converged")
    expect(await site.refused(site.approval(plan))).toContain("Stale")
    expect(site.there()).toHaveLength(100)
  })

  it("performs a part when only some actions are approved", async () => {
    const site = await fortyRemoved(flavour)
    const plan = site.pending()
    const actions = plan.held.slice(0, 3).map(({ action }) => action.digest)
    await site.approve(plan, { actions })
    expect(site.there()).toHaveLength(97)
    expect(site.plan(plan.name).phase).toBe("Done")
    expect(site.pending().held).toHaveLength(37)
  })

  it("lets a superseded plan be approved while its digests stand", async () => {
    const site = await fortyRemoved(flavour)
    const plan = site.pending()
    await site.declare(hundred.slice(41))
    expect(site.plan(plan.name).phase).toBe("Superseded")
    await site.approve(plan)
    expect(site.there()).toEqual(names(100).slice(40).sort())
    expect(site.pending().held).toHaveLength(1)
  })

  it("keeps the plan over a restart when nothing changed", async () => {
    const site = await fortyRemoved(flavour)
    const plan = site.pending()
    await site.restart()
    await site.look()
    expect(site.pending()).toMatchObject({ name: plan.name, hash: plan.hash })
    await site.approve(plan)
    expect(site.there()).toHaveLength(60)
  })

  it("does not let a plan stand over a restart when a covered target changed", async () => {
    const site = await fortyRemoved(flavour)
    const plan = site.pending()
    await site.sim.stopPlane()
    site.world.edit("w3", { size: 9 })
    await site.sim.start()
    await site.look()
    expect(["Stale", "Superseded"]).toContain(site.plan(plan.name).phase)
    expect(await site.refused(site.approval(plan))).toMatch(/w3|Stale/)
    expect(site.there()).toHaveLength(100)
    expect(site.pending().held).toHaveLength(40)
  })
})

describe("who may decide", () => {
  it("refuses agents, wrong hashes and unknown actions, and executes nothing", async () => {
    const site = await fortyRemoved("single")
    const plan = site.pending()
    expect(await site.refused(site.approval(plan, {}, bot))).toContain("only people decide")
    expect(await site.refused(site.approval(plan, { hash: "0".repeat(64) }))).toContain("hash")
    expect(await site.refused(site.approval(plan, { actions: ["zzz"] }))).toContain("no action")
    expect(site.there()).toHaveLength(100)
    expect(site.pending().name).toBe(plan.name)
  })

  it("counts one of two approvals sent at once, and the plan is done once", async () => {
    const site = await fortyRemoved("list")
    const plan = site.pending()
    const both = [site.approval(plan), site.approval(plan, {}, ann)]
    const answers = await site.run(Promise.allSettled(both))
    expect(answers.map((one) => one.status).sort()).toEqual(["fulfilled", "rejected"])
    await site.clock.advance(5000)
    expect(site.there()).toHaveLength(60)
    expect(site.plan(plan.name).phase).toBe("Done")
  })
})
