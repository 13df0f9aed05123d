// What an approval is bound to: exactly the looked-at action, once. A covered change voids it, a
// change elsewhere does not, and the same action asked for again later needs a new approval.

import { afterEach, describe, expect, it } from "vitest"
import { type Fault, toFault } from "../../src/base/faults.ts"
import { disarm, type Protection } from "../../src/base/protections.ts"
import type { ActContext, KindProvider } from "../../src/contract/provider.ts"
import type { Store } from "../../src/contract/store.ts"
import { CrashPoints } from "../../src/sim/crash-points.ts"
import { crashingStore } from "../../src/sim/crashing-port.ts"
import { flavours, names, Site, widget } from "./site.ts"

const all = (count: number) => names(count).map((name) => widget(name))
const colour = (site: Site, name: string) => site.world.find(name)[0]?.value.color

let rearm = () => {}
const without = (name: Protection) => {
  rearm = disarm(name)
}
afterEach(() => rearm())

async function refusal(site: Site, promise: Promise<unknown>): Promise<Fault> {
  const thrown: unknown = await site.run(promise).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (thrown === undefined) throw new Error("it was not refused")
  return toFault(thrown)
}

/** Everything is there; w0 and w1 drifted, and correcting them waits. */
async function drifted(flavour: (typeof flavours)[number]): Promise<Site> {
  const site = await Site.open({ flavour, loop: { mode: "Propose" } })
  await site.declare(all(4))
  await site.approve()
  for (const name of ["w0", "w1"]) site.world.edit(name, { color: "blue" })
  await site.look()
  expect(site.pending().held).toHaveLength(2)
  return site
}

describe.each(flavours)("an approval of held updates (%s)", (flavour) => {
  it("is refused and names the covered target that changed meanwhile", async () => {
    const site = await drifted(flavour)
    const plan = site.pending()
    site.world.edit("w1", { color: "green" })
    const fault = await refusal(site, site.approval(plan))
    expect(fault).toMatchObject({ code: "SPT-PLAN-004", status: 409 })
    expect(fault.message).toContain("sim:w1 changed after the plan was made")
    expect(fault.message).not.toContain("w0")
    await site.clock.advance(3000)
    expect([colour(site, "w0"), colour(site, "w1")]).toEqual(["blue", "green"])
    expect(site.plan(plan.name).phase).toBe("Stale")
    await site.approve()
    expect([colour(site, "w0"), colour(site, "w1")]).toEqual(["red", "red"])
  })

  it("stands when something else changed, and when only another action of it did", async () => {
    const site = await drifted(flavour)
    const plan = site.pending()
    site.world.edit("w3", { color: "green" })
    site.world.edit("w1", { color: "green" })
    const first = plan.held.find(({ action }) => action.target === "sim:w0")?.action.digest ?? ""
    await site.approve(plan, { actions: [first] })
    expect(colour(site, "w0")).toBe("red")
    expect(colour(site, "w3")).toBe("green")
    expect(colour(site, "w1")).toBe("green")
  })

  it("is not for what its target became before it was done: that is held anew", async () => {
    const site = await drifted(flavour)
    const plan = site.pending()
    site.world.faults.add({ how: "serverError", on: ["update", "batch"], times: 1 })
    await site.approve(plan, {}, 60)
    expect(site.plan(plan.name).phase).toBe("Executing")
    site.world.edit("w0", { color: "green" })
    site.world.edit("w1", { color: "green" })
    await site.clock.advance(60_000)
    await site.look()
    const changed = ["w0", "w1"].filter((name) => colour(site, name) === "green")
    expect(changed.length).toBeGreaterThan(0)
    const held = site.pending().held.map(({ action }) => action.target)
    expect(held.sort()).toEqual(changed.map((name) => `sim:${name}`))
    expect(["Done", "Stale"]).toContain(site.plan(plan.name).phase)
    expect(site.plan(plan.name).note).toContain("changed after it was approved; it is held anew")
    expect(site.loop.approvals.size).toBe(0)
    await site.approve()
    expect(site.world.targets().every((one) => one.value.color === "red")).toBe(true)
  })
})

describe("an approved delete", () => {
  /** Approved, marked, not done yet; then someone needs the target after all. */
  async function changedLate(): Promise<Site> {
    const site = await Site.open({ loop: { limits: { deletes: 0 } } })
    await site.declare(all(4))
    await site.declare(all(3))
    const lift = site.world.faults.add({ how: "serverError", on: ["delete"] })
    await site.approve(site.pending(), {}, 200)
    expect(site.there()).toHaveLength(4)
    site.world.edit("w3", { color: "green" })
    lift()
    await site.clock.advance(60_000)
    return site
  }

  it("is not done once its target changed", async () => {
    const site = await changedLate()
    expect(site.there()).toContain("w3")
    expect(site.pending().held[0]?.reasons[0]?.code).toBe("TargetChanged")
    await site.approve()
    expect(site.there()).not.toContain("w3")
  })

  it("twin: without approval-bound-to-digest what changed is deleted unseen", async () => {
    without("approval-bound-to-digest")
    const site = await changedLate()
    expect(site.there()).not.toContain("w3")
  })

  it("that can't be done in time expires, and is held anew", async () => {
    const loop = { limits: { deletes: 0 }, approvals: { expiresAfter: "1h" } }
    const site = await Site.open({ loop })
    await site.declare(all(4))
    await site.declare(all(3))
    const plan = site.pending()
    const lift = site.world.faults.add({ how: "serverError", on: ["delete"] })
    await site.approve(plan, {}, 1000)
    await site.clock.advance(2 * 3_600_000)
    lift()
    await site.clock.advance(60_000)
    expect(site.plan(plan.name)).toMatchObject({ phase: "Expired" })
    expect(site.plan(plan.name).note).toContain("1 approved and not done in time")
    expect(site.there()).toContain("w3")
    await site.approve()
    expect(site.there()).not.toContain("w3")
    expect(await site.objects()).toHaveLength(3)
  })
})

/** A medium whose tokens come back with the content: the same drift has the same digest again. */
function forgetful(kind: KindProvider): KindProvider {
  const plain = ({ token: _, ...context }: ActContext): ActContext => context
  return {
    ...kind,
    observe: async (target, context) => {
      const seen = (await kind.observe?.(target, context)) ?? { kind: "unknown", cause: "none" }
      return seen.kind === "present" ? { ...seen, token: JSON.stringify(seen.value) } : seen
    },
    update: (target, context) => kind.update(target, plain(context)),
  }
}

describe("the same action asked for again", () => {
  async function corrected(wrap?: (store: Store) => Store): Promise<Site> {
    const site = new Site({ loop: { mode: "Propose" } })
    site.sim.kinds = site.sim.kinds.map(forgetful)
    await site.sim.start()
    await site.makeLoop()
    await site.declare(all(1))
    await site.approve()
    site.world.edit("w0", { color: "blue" })
    await site.look()
    if (wrap === undefined) return site
    await site.sim.stopPlane()
    site.sim.wrapStore = wrap
    await site.sim.start()
    await site.clock.advance(3000)
    return site
  }

  it("needs a new approval, and the old one is refused", async () => {
    const site = await corrected()
    const plan = site.pending()
    const digest = plan.held[0]?.action.digest
    await site.approve(plan)
    expect(colour(site, "w0")).toBe("red")
    site.world.edit("w0", { color: "blue" })
    await site.look()
    expect(colour(site, "w0")).toBe("blue")
    const again = site.pending()
    expect(again.held[0]?.action.digest).toBe(digest)
    expect(again).toMatchObject({ hash: plan.hash, approvals: [] })
    const replayed = await refusal(site, site.approval(plan))
    expect(replayed).toMatchObject({ code: "SPT-PLAN-010" })
    await site.clock.advance(3000)
    expect(colour(site, "w0")).toBe("blue")
  })

  /** The process dies right after the receipt is durable; then the same drift comes back. */
  async function diedAfterReceipt(): Promise<Site> {
    const points = new CrashPoints()
    const site = await corrected((store) => crashingStore(dying(store, points), points))
    void site.approval(site.pending()).catch(() => {})
    await site.clock.runUntil(() => points.crashed !== undefined, { maxMs: 60_000 })
    expect(colour(site, "w0")).toBe("red")
    site.world.edit("w0", { color: "blue" })
    site.sim.wrapStore = undefined
    await site.sim.start()
    await site.clock.advance(10_000)
    await site.look()
    return site
  }

  const decoder = new TextDecoder()

  function dying(store: Store, points: CrashPoints): Store {
    const commit: Store["commit"] = async (checks, writes) => {
      const answer = await store.commit(checks, writes)
      const receipt = writes.some(
        (one) => one.kind === "put" && decoder.decode(one.value).includes('"type":"receipt"'),
      )
      if (receipt) points.crash("receipt")
      return answer
    }
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target)
        if (name === "commit") return commit
        return typeof member === "function" ? member.bind(target) : member
      },
    })
  }

  it("is not covered by an approval that was used before a crash", async () => {
    const site = await diedAfterReceipt()
    expect(colour(site, "w0")).toBe("blue")
    expect(site.pending().approvals).toEqual([])
  })

  it("twin: without approval-single-use one approval acts twice", async () => {
    without("approval-single-use")
    const site = await diedAfterReceipt()
    expect(colour(site, "w0")).toBe("red")
  })
})
