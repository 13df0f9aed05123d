// Loosening as a way around: what a used or rejected decision does afterwards, who may decide on
// what they asked for themselves, and objects that are carried to where the rules are looser.

import { afterEach, describe, expect, it } from "vitest"
import type { Json, JsonObject } from "../../src/base/json.ts"
import { disarm } from "../../src/base/protections.ts"
import type { Principal } from "../../src/contract/principal.ts"
import type { PlanDocument } from "../../src/ledger/plan-ledger.ts"
import { protectAnnotation } from "../../src/object/object.ts"
import { ann, loops, names, Site, type SiteOptions, widget, widgets } from "./site.ts"

const bob: Principal = { name: "bob", kind: "human" }
const cid: Principal = { name: "cid", kind: "human" }
const policies = { ...loops, resource: "guardpolicies" }
const planeLoop = "setpoint-system.default"

let arm = () => {}
afterEach(() => arm())

async function converged(options: SiteOptions = {}): Promise<Site> {
  const site = await Site.open(options)
  await site.declare(names(30).map((name) => widget(name)))
  expect(site.there().length).toBe(30)
  return site
}

async function setLoop(site: Site, spec: JsonObject, who = ann): Promise<void> {
  const ref = { ...loops, namespace: "default", name: "site" }
  await site.run(site.as(who).patch(ref, "merge", { spec }))
  await site.clock.advance(3000)
}

async function makePolicy(site: Site, spec: JsonObject): Promise<void> {
  const object = {
    ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "GuardPolicy", metadata: { name: "p" } },
    spec: { loops: ["default.site"], ...spec },
  }
  await site.run(site.as(ann).apply(policies, object, { fieldManager: "ann", force: true }))
  await site.clock.advance(1000)
}

async function deletePolicy(site: Site, who = ann): Promise<void> {
  await site.run(site.as(who).delete({ ...policies, namespace: "", name: "p" }))
  await site.clock.advance(1000)
}

/** The plan that waits, whether someone approved already or not. */
function waiting(site: Site, loop = site.loopId): PlanDocument | undefined {
  return site.sim.plane.engine.plans.pending(loop)
}

async function approve(site: Site, who: Principal, loop = site.loopId): Promise<void> {
  const plan = waiting(site, loop)
  if (plan === undefined) throw new Error("no plan waits")
  const [namespace] = loop.split(".")
  const path = `/apis/setpoint.dev/v1alpha1/namespaces/${namespace}/plans/${plan.name}/approval`
  await site.run(site.as(who).call("POST", path, { hash: plan.hash }))
  await site.clock.advance(3000)
}

const spec = (site: Site) => site.loop.spec

describe("an approved loosening", () => {
  it("of a policy uses its approval up", async () => {
    const site = await converged()
    await makePolicy(site, { limits: { deletes: 1 } })
    await deletePolicy(site)
    await approve(site, ann, planeLoop)
    expect(spec(site).floors).toEqual([])
    expect(waiting(site, planeLoop)).toBeUndefined()
  })

  it("leaves no plan behind that waits for the same", async () => {
    const site = await converged()
    await setLoop(site, { limits: { deletes: 7 } })
    await approve(site, ann)
    expect(spec(site).limits.deletes).toBe(7)
    expect(site.plans().map((plan) => plan.phase)).toEqual(["Done"])
  })

  it("counts for what was declared when it was approved, not for what came after", async () => {
    const site = await converged()
    await setLoop(site, { limits: { deletes: 7 } })
    const plan = site.pending()
    const ref = { ...loops, namespace: "default", name: "site" }
    const patch = { spec: { limits: { deletes: 500 } } }
    await Promise.allSettled([
      site.run(site.approval(plan)),
      site.run(site.as(ann).patch(ref, "merge", patch)),
    ])
    await site.clock.advance(3000)
    expect(spec(site).limits.deletes).toBeLessThan(500)
  })
})

describe("a rejected loosening", () => {
  it("is not asked again, not even after a restart, until something else is declared", async () => {
    const site = await converged()
    await setLoop(site, { limits: { deletes: 7 } })
    await site.reject()
    await site.declare(names(20).map((name) => widget(name)))
    const verbs = () => site.pending().held.map(({ action }) => action.verb)
    expect(verbs()).not.toContain("loosen")
    await site.restart()
    expect(verbs()).not.toContain("loosen")
    expect(spec(site).limits.deletes).toBe(5)
    await setLoop(site, { limits: { deletes: 8 } })
    expect(verbs()).toContain("loosen")
  })
})

describe("who wrote a loosening", () => {
  const rules = { approvals: { separateAuthor: true } }

  it("does not approve it where authors may not", async () => {
    const site = await converged({ loop: rules })
    await setLoop(site, { limits: { deletes: 7 } })
    await expect(approve(site, ann)).rejects.toThrow("asked for")
    expect(spec(site).limits.deletes).toBe(5)
    await approve(site, bob)
    expect(spec(site).limits.deletes).toBe(7)
  })

  it("may approve what others ask for later", async () => {
    const site = await converged({ loop: rules })
    await setLoop(site, { limits: { deletes: 7 } }, bob)
    await approve(site, ann)
    expect(spec(site).limits.deletes).toBe(7)
  })

  it("by deleting a policy does not approve that either", async () => {
    const site = await converged()
    await makePolicy(site, { limits: { deletes: 1 }, ...rules })
    await deletePolicy(site, bob)
    await expect(approve(site, bob, planeLoop)).rejects.toThrow("asked for")
    expect(spec(site).floors).toHaveLength(1)
    await approve(site, cid, planeLoop)
    expect(spec(site).floors).toEqual([])
  })
})

describe("a policy that asks for two people", () => {
  const both = { limits: { deletes: 1 }, approvals: { required: 2 } }

  it("is not taken away by one", async () => {
    const site = await converged()
    await makePolicy(site, both)
    await deletePolicy(site)
    await approve(site, ann, planeLoop)
    expect(spec(site).floors).toHaveLength(1)
    await approve(site, bob, planeLoop)
    expect(spec(site).floors).toEqual([])
  })

  it("is, without policy-approves-itself", async () => {
    arm = disarm("policy-approves-itself")
    const site = await converged()
    await makePolicy(site, both)
    await deletePolicy(site)
    await approve(site, ann, planeLoop)
    expect(spec(site).floors).toEqual([])
  })

  it("that is made again is in force, whatever waited for the one before", async () => {
    const site = await converged()
    await makePolicy(site, both)
    await deletePolicy(site)
    await makePolicy(site, both)
    expect(waiting(site, planeLoop)).toBeUndefined()
    expect(spec(site).floors).toHaveLength(1)
  })
})

describe("what is written over by itself", () => {
  const careful = {
    onDrift: "Hold",
    onConflict: "ObservedWins",
    paths: [{ path: "size", onDrift: "Report" }],
  }
  const looser: readonly JsonObject[] = [
    { onDrift: "Correct" },
    { onConflict: "DeclaredWins" },
    { paths: [{ path: "size", onDrift: "Correct" }] },
    { paths: [{ path: "size", onDrift: "Report", onConflict: "DeclaredWins" }] },
    { paths: [{ path: "color", onDrift: "Correct" }] },
  ]
  it.each(looser)("waits for a person when it becomes more: %j", async (change) => {
    const site = await converged({ loop: careful })
    const before = spec(site)
    await setLoop(site, change)
    expect(site.pending().held.map(({ action }) => action.verb)).toEqual(["loosen"])
    expect(spec(site)).toMatchObject({ onDrift: before.onDrift, onConflict: before.onConflict })
    await site.approve()
    expect(site.plans("Pending")).toEqual([])
  })

  it("counts at once when it becomes less", async () => {
    const site = await converged()
    await setLoop(site, careful)
    expect(site.plans("Pending")).toEqual([])
    expect(spec(site)).toMatchObject(careful)
  })
})

describe("moving to a loop", () => {
  const move = (site: Site, to = "default.default") => {
    const given: Json = { object: "widgets.sim.setpoint.dev/default/w0", reason: "it suits me", to }
    return site.as(ann).call("POST", "/setpoint/v1/move", given)
  }

  it("whose rules are looser is refused, and names them", async () => {
    const site = await converged({ loop: { limits: { deletes: 0 } } })
    await makePolicy(site, { limits: { deletes: 1 }, protectedKinds: ["Widget"] })
    const said = await site.refused(move(site))
    expect(said).toContain("spec.limits.deletes, policy p, protected kinds of a policy")
    arm = disarm("move-is-no-way-out")
    await site.run(move(site))
  })

  it("is refused while the loop that keeps it is stopped", async () => {
    const site = await converged()
    await site.run(site.as(ann).call("POST", "/setpoint/v1/stop", { loop: "default.site" }))
    expect(await site.refused(move(site))).toContain("stopped by ann")
  })

  it("that does more by itself is refused", async () => {
    const site = await converged()
    await setLoop(site, { mode: "Propose" })
    expect(await site.refused(move(site))).toContain("looser in spec.mode")
  })
})

describe("taking a protection away", () => {
  const ref = { ...widgets, namespace: "default", name: "a" }

  async function kept(word: string, approvals: JsonObject = {}): Promise<Site> {
    const site = await Site.open({ source: false, loop: { approvals } })
    const plain = widget("a")
    const metadata = { ...plain.metadata, annotations: { [protectAnnotation]: word } }
    await site.create({ ...plain, metadata })
    await site.create(widget("b"))
    await site.clock.advance(3000)
    return site
  }

  async function lift(site: Site, who = ann): Promise<void> {
    const metadata = { annotations: { [protectAnnotation]: null } }
    await site.run(site.as(who).patch(ref, "merge", { metadata }))
    await site.clock.advance(3000)
  }

  it("is not approved by who did it where authors may not", async () => {
    const site = await kept("true", { separateAuthor: true })
    await lift(site, bob)
    await expect(approve(site, bob)).rejects.toThrow("asked for")
    await approve(site, ann)
    expect(site.plans("Pending")).toEqual([])
    await site.run(site.delete("a"))
    await site.clock.advance(3000)
    expect(site.there()).toEqual(["b"])
  })

  it("is not asked again once it was rejected, until it is protected anew", async () => {
    const site = await kept("true")
    await lift(site)
    await site.reject()
    await site.look()
    expect(site.plans("Pending")).toEqual([])
    expect(await site.refused(site.delete("a"))).toContain("nobody approved yet")
    await site.reject()
    const metadata = { annotations: { [protectAnnotation]: "true" } }
    await site.run(site.as(ann).patch(ref, "merge", { metadata }))
    await site.clock.advance(3000)
    await lift(site)
    expect(site.pending().held.map(({ action }) => action.verb)).toContain("loosen")
  })

  it.each(["true", "True", "yes", "1", ""])(
    "counts whatever word was written: %j",
    async (word) => {
      const site = await kept(word)
      expect(await site.refused(site.delete("a"))).toContain("is protected")
    },
  )

  it('is not needed where the word is "false"', async () => {
    const site = await kept("false")
    await site.run(site.delete("a"))
    await site.clock.advance(3000)
    expect(site.there()).toEqual(["b"])
  })
})
