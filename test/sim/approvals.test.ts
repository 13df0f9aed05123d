// Gate: stale, replayed, self-given, expired and agent-given approvals are refused, each with its
// own code and sentence, and nothing is done because of them.

import { afterEach, describe, expect, it } from "vitest"
import { type Fault, toFault } from "../../src/base/faults.ts"
import type { JsonObject } from "../../src/base/json.ts"
import { disarm, type Protection } from "../../src/base/protections.ts"
import type { Principal } from "../../src/contract/principal.ts"
import type { PlanDocument } from "../../src/ledger/plan-ledger.ts"
import { ann, bot, cron, loops, names, Site, type SiteOptions, widget, widgets } from "./site.ts"

const bob: Principal = { name: "bob", kind: "human" }
const cid: Principal = { name: "cid", kind: "human" }
const all = (count: number) => names(count).map((name) => widget(name))
const hour = 3_600_000

let rearm = () => {}
const without = (name: Protection) => {
  rearm = disarm(name)
}
afterEach(() => rearm())

/** What it was refused with. */
async function refusal(site: Site, promise: Promise<unknown>): Promise<Fault> {
  const error: unknown = await site.run(promise).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error === undefined) throw new Error("it was not refused")
  return toFault(error)
}

async function given(
  site: Site,
  who: Principal,
  plan = waiting(site),
  body: JsonObject = {},
): Promise<PlanDocument["phase"]> {
  await site.run(site.approval(plan, body, who))
  await site.clock.advance(3000)
  return site.plan(plan.name).phase
}

/** The plan that waits, whether someone approved already or not. */
function waiting(site: Site): PlanDocument {
  const plan = site.sim.plane.engine.plans.pending(site.loopId)
  if (plan === undefined) throw new Error("no plan waits")
  return plan
}

/** Three creates that wait. */
async function proposed(approvals: JsonObject = {}, options: SiteOptions = {}): Promise<Site> {
  const site = await Site.open({ ...options, loop: { mode: "Propose", approvals } })
  await site.declare(all(3))
  expect(waiting(site).held).toHaveLength(3)
  return site
}

/** One object that `ann` made by API, and its create waits. */
async function madeByAnn(approvals: JsonObject): Promise<Site> {
  const site = await Site.open({ source: false, loop: { mode: "Propose", approvals } })
  await site.create(widget("a"))
  await site.clock.advance(3000)
  return site
}

const edit = (site: Site, who: Principal, spec: JsonObject) =>
  site.run(site.as(who).patch({ ...widgets, namespace: "default", name: "a" }, "merge", { spec }))

describe("an approval is refused", () => {
  it("when an agent or a service gives it", async () => {
    const site = await proposed()
    for (const [who, word] of [[bot, "an agent"] as const, [cron, "a service"] as const]) {
      const fault = await refusal(site, site.approval(waiting(site), {}, who))
      expect(fault).toMatchObject({ code: "SPT-PLAN-005", status: 403 })
      expect(fault.message).toContain(`${who.name} is ${word}, and only people decide`)
      const rejected = await refusal(
        site,
        site.approval(waiting(site), { decision: "reject" }, who),
      )
      expect(rejected.code).toBe("SPT-PLAN-005")
    }
    expect(site.mutations).toBe(0)
  })

  it("twin: without agents-never-approve an agent's approval makes things", async () => {
    const site = await proposed()
    without("agents-never-approve")
    await given(site, bot)
    expect(site.there()).toHaveLength(3)
  })

  it("when who asked for the change gives it, however the change was made", async () => {
    const site = await madeByAnn({ separateAuthor: true })
    const made = await refusal(site, site.approval(waiting(site), {}, ann))
    expect(made).toMatchObject({ code: "SPT-PLAN-014", status: 403 })
    expect(made.message).toContain("ann asked for it (create of sim:a)")
    expect(await given(site, bob)).toBe("Done")
    await edit(site, ann, { size: 2 })
    await edit(site, bob, { color: "blue" })
    await site.clock.advance(3000)
    for (const who of [ann, bob]) {
      expect((await refusal(site, site.approval(waiting(site), {}, who))).code).toBe("SPT-PLAN-014")
    }
    expect(site.world.find("a")[0]?.value).toMatchObject({ size: 1, color: "red" })
    expect(await given(site, cid)).toBe("Done")
    expect(site.world.find("a")[0]?.value).toMatchObject({ size: 2, color: "blue" })
    await expect(site.run(site.delete("a", ann))).rejects.toThrow("plan")
    await expect(site.run(site.delete("a", cron))).rejects.toThrow("plan")
    const asked = await refusal(site, site.approval(waiting(site), {}, ann))
    expect(asked.code).toBe("SPT-PLAN-014")
    expect(await given(site, bob)).toBe("Done")
    expect(site.there()).toEqual([])
  })

  it("and nobody can write another author into the object", async () => {
    const site = await madeByAnn({ separateAuthor: true })
    const annotations = { "setpoint.dev/authors": "bob@1" }
    const ref = { ...widgets, namespace: "default", name: "a" }
    await site.run(site.as(ann).patch(ref, "merge", { metadata: { annotations } }))
    await site.run(
      site.as(ann).patch(ref, "merge", { metadata: { annotations: null }, spec: { size: 3 } }),
    )
    await site.clock.advance(3000)
    expect((await site.object("a"))?.metadata.annotations).toEqual({
      "setpoint.dev/authors": "ann@2",
    })
    expect((await refusal(site, site.approval(waiting(site), {}, ann))).code).toBe("SPT-PLAN-014")
  })

  it("but what a source asks for is nobody's own", async () => {
    const site = await proposed({ separateAuthor: true })
    expect(await given(site, ann)).toBe("Done")
    expect(site.there()).toHaveLength(3)
  })

  it("twin: without separate-author the author alone makes it", async () => {
    const site = await madeByAnn({ separateAuthor: true })
    without("separate-author")
    await given(site, ann)
    expect(site.there()).toEqual(["a"])
  })

  it("when the loop names its approvers and this is none of them", async () => {
    const site = await proposed({ approvers: ["bob", "cid"] })
    const fault = await refusal(site, site.approval(waiting(site), {}, ann))
    expect(fault).toMatchObject({ code: "SPT-PLAN-015", status: 403 })
    expect(fault.hint).toContain("bob,cid")
    expect(site.mutations).toBe(0)
    expect(await given(site, bob)).toBe("Done")
  })

  it("when its plan has expired; what is still asked for waits in a fresh plan", async () => {
    const site = await proposed({ expiresAfter: "2h", required: 2 })
    const plan = waiting(site)
    expect(await given(site, ann)).toBe("Approved")
    await site.clock.advance(hour)
    await site.restart()
    await site.clock.advance(hour)
    expect(site.plan(plan.name)).toMatchObject({ phase: "Expired" })
    expect(site.plan(plan.name).note).toContain("its approvals are void")
    const fault = await refusal(site, site.approval(plan, {}, bob))
    expect(fault).toMatchObject({ code: "SPT-PLAN-012", status: 409 })
    expect(fault.message).toContain("it has expired")
    const fresh = waiting(site)
    expect(fresh).toMatchObject({ phase: "Pending", hash: plan.hash, approvals: [] })
    expect(await given(site, bob)).toBe("Approved")
    expect(site.mutations).toBe(0)
    expect(await given(site, ann, waiting(site))).toBe("Done")
    const told = (await site.journal()).flatMap(({ event }) =>
      event.type === "plan" && event.phase === "Expired" ? [event.plan] : [],
    )
    expect(told).toEqual([plan.name])
  })

  it("twin: without approval-expires an old approval is taken", async () => {
    const site = await proposed({ expiresAfter: "2h" })
    const plan = waiting(site)
    without("approval-expires")
    await site.clock.advance(3 * hour)
    await given(site, ann, plan)
    expect(site.there()).toHaveLength(3)
  })

  it("when the same person gave it already", async () => {
    const site = await proposed({ required: 2 })
    expect(await given(site, ann)).toBe("Approved")
    const fault = await refusal(site, site.approval(waiting(site), {}, ann))
    expect(fault).toMatchObject({ code: "SPT-PLAN-013", status: 409 })
    expect(fault.message).toContain("ann approved it already")
    expect(site.mutations).toBe(0)
  })

  it("when it is sent again after the plan was done or rejected", async () => {
    const site = await proposed()
    const plan = waiting(site)
    await given(site, ann, plan)
    expect(await refusal(site, site.approval(plan))).toMatchObject({ code: "SPT-PLAN-010" })
    expect((await refusal(site, site.approval(plan))).message).toContain("by ann is used for it")
    await site.restart()
    expect((await refusal(site, site.approval(plan, {}, bob))).code).toBe("SPT-PLAN-010")
    await site.declare(all(4))
    const no = waiting(site)
    await site.reject(no)
    const rejected = await refusal(site, site.approval(no))
    expect(rejected).toMatchObject({ code: "SPT-PLAN-011" })
    expect(rejected.message).toContain("rejected by ann")
    expect(site.there()).toHaveLength(3)
  })

  it("when the plan of the same hash is another one", async () => {
    const site = await proposed({ expiresAfter: "1h" })
    const plan = waiting(site)
    await site.clock.advance(hour + 5000)
    const again = waiting(site)
    expect(again.hash).toBe(plan.hash)
    expect(again.name).not.toBe(plan.name)
    expect((await refusal(site, site.approval(plan))).code).toBe("SPT-PLAN-012")
    expect(site.mutations).toBe(0)
  })
})

describe("an approval that is not enough", () => {
  it("counts different people for each action, also over several plans", async () => {
    const site = await proposed({ required: 2 })
    const plan = waiting(site)
    const [first, second] = plan.held.map(({ action }) => action.digest)
    expect(await given(site, ann, plan)).toBe("Approved")
    expect(site.plan(plan.name).note).toBe("approved by ann: 1 of 2")
    expect(await given(site, bob, plan, { actions: [first ?? ""] })).toBe("Done")
    expect(site.there()).toHaveLength(1)
    const rest = waiting(site)
    expect(rest).toMatchObject({ phase: "Approved" })
    expect(rest.held).toHaveLength(2)
    expect((await refusal(site, site.approval(rest, {}, ann))).code).toBe("SPT-PLAN-013")
    await site.declare(all(4))
    expect(waiting(site).held).toHaveLength(3)
    expect(await given(site, cid, rest, { actions: [second ?? ""] })).toBe("Done")
    expect(site.there()).toHaveLength(2)
    expect(waiting(site).held).toHaveLength(2)
    expect(await given(site, bob, waiting(site))).toBe("Done")
    expect(site.there()).toHaveLength(3)
    await site.verify()
  })

  it("stands over a restart, and falls when what it covers changes", async () => {
    const site = await proposed({ required: 2 })
    await given(site, ann)
    await site.restart()
    expect(waiting(site)).toMatchObject({ phase: "Approved" })
    await site.declare([...all(2), widget("w2", { size: 5 })])
    const now = waiting(site)
    expect(now.approvals[0]?.digests).toHaveLength(2)
    await given(site, bob, now)
    expect(site.there()).toEqual(["w0", "w1"])
    expect(waiting(site).held.map(({ action }) => action.target)).toEqual(["sim:w2"])
    expect(waiting(site).approvals.map((one) => one.principal)).toEqual(["bob"])
  })

  it("never needs less than when the plan was made", async () => {
    const site = await proposed({ required: 2, approvers: ["ann", "bob"] })
    const plan = waiting(site)
    site.loop.spec = {
      ...site.loop.spec,
      approvals: { ...site.loop.spec.approvals, required: 1, approvers: ["bob", "cid"] },
    }
    expect((await refusal(site, site.approval(plan, {}, cid))).code).toBe("SPT-PLAN-015")
    expect((await refusal(site, site.approval(plan, {}, ann))).code).toBe("SPT-PLAN-015")
    expect(await given(site, bob, plan)).toBe("Approved")
    expect(site.mutations).toBe(0)
  })

  it("needs more when the loop asks for more meanwhile", async () => {
    const site = await proposed({ required: 1 })
    const plan = waiting(site)
    const patch = { spec: { approvals: { required: 2 } } }
    await site.run(
      site.as(ann).patch({ ...loops, namespace: "default", name: "site" }, "merge", patch),
    )
    await site.clock.advance(1000)
    const path = `/setpoint/v1/plans/${plan.name}`
    const shown = await site.run(site.as(ann).call("GET", path))
    expect(shown).toMatchObject({ approved: 0, required: 2 })
    expect(await given(site, ann, plan)).toBe("Approved")
    expect(await given(site, bob, plan)).toBe("Done")
  })
})
