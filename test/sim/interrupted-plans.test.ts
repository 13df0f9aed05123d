import { describe, expect, it } from "vitest"
import type { Store } from "../../src/contract/store.ts"
import { CrashPoints } from "../../src/sim/crash-points.ts"
import { crashingStore } from "../../src/sim/crashing-port.ts"
import { flavours, names, Site, widget } from "./site.ts"

const all = (count: number) => names(count).map((name) => widget(name))

/** A site whose process can be made to die. */
async function mortal(flavour: (typeof flavours)[number], loop = {}): Promise<[Site, CrashPoints]> {
  const site = new Site({ flavour, loop })
  const points = new CrashPoints()
  site.sim.wrapStore = (store: Store) => crashingStore(store, points)
  await site.sim.start()
  await site.makeLoop()
  return [site, points]
}

async function revive(site: Site): Promise<void> {
  site.sim.wrapStore = undefined
  await site.sim.start()
  await site.clock.advance(10_000)
}

const marked = async (site: Site) =>
  (await site.objects()).filter((one) => one.metadata.deletionTimestamp !== undefined)

describe.each(flavours)("a plan that a crash interrupts (%s)", (flavour) => {
  it("goes on with exactly what was approved, and marks nothing else", async () => {
    const [site, points] = await mortal(flavour)
    await site.declare(all(50))
    await site.declare(all(50).slice(20))
    const plan = site.pending()
    const actions = plan.held.slice(0, 4).map(({ action }) => action.digest)
    const chosen = plan.held.slice(0, 4).map(({ action }) => action.target.slice("sim:".length))
    const executing = () => site.plan(plan.name).phase === "Executing"
    void site.approval(plan, { actions }).catch(() => {})
    expect(await site.clock.runUntil(executing, { maxMs: 10_000 })).toBe(true)
    points.crash("approved")
    expect(site.there()).toHaveLength(50)
    await revive(site)
    expect(names(50).filter((name) => !site.there().includes(name))).toEqual([...chosen].sort())
    expect(await marked(site)).toEqual([])
    expect(await site.objects()).toHaveLength(46)
    expect(site.plan(plan.name).phase).toBe("Done")
    expect(site.pending().held).toHaveLength(16)
  })

  it("is performed once, however often it is interrupted", async () => {
    const [site] = await mortal(flavour, { mode: "Propose" })
    await site.declare(all(6))
    const plan = site.pending()
    site.world.faults.add({ how: "lostReply", on: ["create", "batch"], times: 2 })
    await site.approve(plan, {}, 200)
    await site.restart()
    await site.clock.advance(60_000)
    expect(site.there()).toHaveLength(6)
    expect(site.world.ledger.filter((one) => one.verb === "created")).toHaveLength(6)
    expect(site.plan(plan.name).phase).toBe("Done")
  })

  it("does not perform what a rejected plan held, also after a crash", async () => {
    const [site, points] = await mortal(flavour)
    await site.declare(all(30))
    await site.declare(all(10))
    await site.reject()
    points.crash("rejected")
    await revive(site)
    await site.look()
    expect(site.plans("Pending")).toEqual([])
    expect(site.there()).toHaveLength(30)
  })

  it("refuses an approval while a covered target can't be read, and keeps the plan", async () => {
    const [site] = await mortal(flavour)
    await site.declare(all(30))
    await site.declare(all(10))
    const plan = site.pending()
    const lift = site.world.faults.add({ how: "serverError", on: ["observe", "list"] })
    expect(await site.refused(site.approval(plan))).toContain("503")
    expect(site.there()).toHaveLength(30)
    lift()
    await site.approve(plan)
    expect(site.there()).toHaveLength(10)
  })
})
