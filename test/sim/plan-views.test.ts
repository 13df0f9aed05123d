// What the views of plans and invariants tell somebody who looks at them while things change.

import { describe, expect, it } from "vitest"
import { isObject, type Json, type JsonObject } from "../../src/base/json.ts"
import type { Principal } from "../../src/contract/principal.ts"
import { calm, colors, keep, oneRed } from "./invariant-site.ts"
import { ann, bot, names, Site, widget } from "./site.ts"

const all = (count: number) => names(count).map((name) => widget(name))

async function look(site: Site, path: string, who: Principal = ann): Promise<JsonObject> {
  const answer: Json = await site.run(site.as(who).call("GET", `/setpoint/v1/${path}`))
  if (!isObject(answer)) throw new Error("no answer")
  return answer
}

/** Ten things, of which six shall go: more than the limit. */
async function held(loop: JsonObject = {}): Promise<Site> {
  const site = await Site.open({ loop: { limits: { deletes: 2, deletesPercent: 100 }, ...loop } })
  await site.declare(all(10))
  await site.declare(all(4))
  return site
}

describe("a plan that somebody looks at", () => {
  it("says what it holds by verb, from which revision, and that a reader may decide", async () => {
    const site = await held()
    const plan = await look(site, `plans/${site.pending().name}`)
    expect(plan).toMatchObject({ verbs: { delete: 6 }, revisions: [expect.any(String)] })
    const [first] = plan.actions as readonly JsonObject[]
    expect(first).toMatchObject({ verb: "delete", causeKind: "prune", state: "waiting" })
    const standing = await look(site, `plans/${site.pending().name}/standing`)
    const may = { approve: { may: true }, reject: { may: true } }
    expect(standing).toMatchObject({ waiting: site.pending().name, changeCount: 0, ...may })
  })

  it("names the covered target that changed, and the plan that waits instead", async () => {
    const site = await held()
    const { name } = site.pending()
    site.world.edit("w7", { color: "blue" })
    await site.look()
    const standing = await look(site, `plans/${name}/standing`)
    expect(standing).toMatchObject({ phase: "Superseded", waiting: site.pending().name })
    expect(site.pending().name).not.toBe(name)
    expect(standing.changes).toEqual([
      expect.objectContaining({ state: "changed", target: "sim:w7", what: "the target changed" }),
    ])
  })

  it("names what is not asked for any more and what came on top", async () => {
    const site = await held()
    const { name } = site.pending()
    await site.declare(all(10).filter((_, index) => index < 3 || index === 9))
    const { changes } = await look(site, `plans/${name}/standing`)
    expect(changes).toEqual([
      expect.objectContaining({ state: "gone", target: "sim:w9" }),
      expect.objectContaining({ state: "new", target: "sim:w3" }),
    ])
  })

  it("tells agents, and people who approved already, why they may not", async () => {
    const site = await held({ approvals: { required: 2 } })
    const path = `plans/${site.pending().name}/standing`
    expect((await look(site, path, bot)).approve).toMatchObject({ code: "SPT-PLAN-005" })
    await site.run(site.approval(site.pending()))
    expect((await look(site, path)).approve).toMatchObject({ may: false, code: "SPT-PLAN-013" })
    expect((await look(site, path)).reject).toEqual({ may: true })
  })

  it("shows a receipt for each action once it was approved", async () => {
    const site = await held()
    const plan = site.pending()
    await site.approve(plan)
    const standing = await look(site, `plans/${plan.name}/standing`)
    expect(standing).toMatchObject({ phase: "Done", changeCount: 0 })
    const receipts = standing.receipts as readonly JsonObject[]
    expect(receipts.map((one) => one.digest).sort()).toEqual(
      plan.held.map(({ action }) => action.digest).sort(),
    )
    expect(receipts.every((one) => one.result === "done")).toBe(true)
    expect(standing.approve).toMatchObject({ may: false, code: "SPT-PLAN-010" })
  })

  it("is not rejected for another hash than the one that was seen", async () => {
    const site = await held()
    const body = { decision: "reject", hash: "0".repeat(64) }
    expect(await site.refused(site.approval(site.pending(), body))).toContain("cannot reject plan")
    await site.reject(site.pending())
    expect(site.plans("Rejected")).toHaveLength(1)
  })
})

describe("the invariants", () => {
  it("are shown with what breaks them and what they keep back", async () => {
    const site = await Site.open({ loop: calm })
    await site.declare(colors(["a", "red"], ["b", "blue"]))
    await keep(site, "one-red", { expression: oneRed, message: "somebody must be red" })
    const first = await look(site, "invariants")
    expect(first.invariants).toMatchObject([{ name: "one-red", state: "Holding", keptCount: 0 }])
    await site.declare(colors(["a", "blue"], ["b", "blue"]))
    const { invariants } = await look(site, "invariants")
    expect(invariants).toMatchObject([
      {
        ...{ loop: "default.site", state: "Holding", keptCount: 1, checkedAt: expect.any(String) },
        kept: [{ object: "widgets.sim.setpoint.dev/default/a", code: "InvariantBroken" }],
      },
    ])
    await site.declare(colors(["b", "blue"]))
    const again = await look(site, "invariants")
    expect(again.invariants).toMatchObject([{ prune: { objects: 1 } }])
  })

  it("say since when they are broken, and what was stopped because of it", async () => {
    const site = await Site.open({ loop: { ...calm, mode: "Propose" } })
    await site.declare(colors(["a", "red"], ["b", "blue"]))
    await site.approve()
    await keep(site, "one-red", { expression: oneRed, onBroken: "StopDeletes", for: "1s" })
    site.world.edit("a", { color: "blue" })
    await site.look()
    await site.clock.advance(5000)
    const { invariants } = await look(site, "invariants")
    const since = expect.stringMatching(/^\d{4}-/)
    expect(invariants).toMatchObject([{ state: "Broken", since, stops: [{ scope: "deletes" }] }])
  })
})
