// Ways around the guards of a loop that must stay closed: in each scenario somebody, or something,
// would get more than a person agreed to.

import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import type { PlanDocument } from "../../src/ledger/plan-ledger.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { ann, bot, loops, names, Site, type SiteOptions, widget, widgets } from "./site.ts"

const minute = 60_000
const loopRef = { ...loops, namespace: "default", name: "site" }

const many = (count: number, spec: JsonObject = {}) =>
  names(count).map((name) => widget(name, spec))

async function converged(count: number, options: SiteOptions = {}): Promise<Site> {
  const site = await Site.open(options)
  await site.declare(many(count))
  expect(site.there().length).toBe(count)
  return site
}

describe("targets that vanished all at once", () => {
  async function blinded(interval: string): Promise<{ site: Site; made: () => number }> {
    const site = await converged(6, { loop: { interval } })
    const before = site.world.calls.create
    site.world.faults.add({ how: "lieEmpty", on: ["observe", "list"] })
    await site.look(8000)
    return { site, made: () => site.world.calls.create - before }
  }

  it("stay held for as long as they are gone, however often that is seen", async () => {
    const { site, made } = await blinded("5m")
    await site.clock.advance(61 * minute)
    expect(made()).toBe(0)
  })

  it("stay held when one of them is looked at alone, long after", async () => {
    const { site, made } = await blinded("6h")
    await site.clock.advance(15 * minute)
    const [first] = site.loop.held.all()
    site.sim.plane.engine.queue.add(first?.action.object ?? "")
    await site.clock.advance(5000)
    expect(made()).toBe(0)
  })

  it("stay held over a restart", async () => {
    const { site, made } = await blinded("5m")
    await site.restart()
    await site.clock.advance(31 * minute)
    expect(made()).toBe(0)
    expect(site.pending().held.length).toBe(6)
  })
})

describe("a limit over all loops", () => {
  const free = { limits: { deletes: 100, deletesPercent: 100 }, onEmpty: "Allow" }
  const loopKind = { apiVersion: "setpoint.dev/v1alpha1", kind: "Loop" }

  async function move(site: Site, name: string, to: string): Promise<void> {
    const object = `widgets.sim.setpoint.dev/default/${name}`
    const body = { object, to, reason: "it belongs there" }
    await site.run(site.as(ann).call("POST", "/setpoint/v1/move", body))
  }

  /** Six widgets in each of two loops. */
  async function twoLoops(): Promise<Site> {
    const site = await Site.open({ source: false, loop: free })
    const metadata = { name: "other", namespace: "default" }
    const other = { ...loopKind, metadata, spec: { mode: "Enforce", ...free } }
    await site.run(site.as(ann).create(loops, other))
    await site.clock.advance(500)
    for (const name of names(12)) await site.create(widget(name))
    await site.clock.advance(5000)
    for (const name of names(12).slice(6)) await move(site, name, "default.other")
    await site.clock.advance(5000)
    const policy = {
      ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "GuardPolicy", metadata: { name: "all" } },
      spec: { everywhere: { deletes: 3, window: "1h" } },
    }
    await site.run(site.as(ann).create({ ...loops, resource: "guardpolicies" }, policy))
    await site.clock.advance(1000)
    return site
  }

  it("counts what one request deletes in each of them", async () => {
    const site = await twoLoops()
    for (const name of ["w0", "w1", "w2", "w6", "w7", "w8"]) {
      const ref = { ...widgets, namespace: "default", name }
      await site.run(site.as(ann).patch(ref, "merge", { metadata: { labels: { old: "yes" } } }))
    }
    await site.clock.advance(2000)
    const options = { namespace: "default", labelSelector: "old=yes" }
    const said = await site.refused(site.as(ann).deleteCollection(widgets, options))
    expect(said).toContain("policy all")
    await site.clock.advance(5000)
    expect(site.there().length).toBe(12)
  })
})

describe("what was in force for a loop", () => {
  const ref = loopRef
  const loose = { deletes: 100, deletesPercent: 100, shrinkPercent: 0 }

  async function setLoop(site: Site, spec: JsonObject): Promise<void> {
    await site.run(site.as(bot).patch(ref, "merge", { spec }))
    await site.clock.advance(10_000)
  }

  it("stays while the loop lets go of everything for a while", async () => {
    const site = await converged(40)
    site.sim.source.declare([])
    await setLoop(site, { source: { directory: { path: "/empty" } } })
    expect(site.sim.plane.engine.ledger.inventory.size(site.loopId)).toBe(0)
    await setLoop(site, { limits: loose })
    site.sim.source.declare(many(40))
    await setLoop(site, { source: { directory: { path: "/site" } } })
    await site.declare(many(20), 10_000)
    expect(site.there().length).toBe(40)
    expect(site.loop.spec.limits.deletes).toBe(5)
  })

  it("is not got rid of by deleting the loop: only a person does that", async () => {
    const site = await converged(4)
    const said = await site.refused(site.as(bot).delete(ref))
    expect(said).toContain("bot is an agent")
    await site.run(site.as(ann).delete(ref))
  })

  it("stays when the loop is made again before the plane noticed, over a crash", async () => {
    const site = await converged(40)
    const old = await site.run(site.as(ann).get(ref))
    const { apiVersion = "", kind = "", spec } = old ?? {}
    const metadata = { name: "site", namespace: "default" }
    const again = { apiVersion, kind, metadata, spec: { ...spec, limits: loose } }
    // The process ends in the middle of the delete: nothing after it happens.
    site.sim.plane.loops.remove = () => new Promise(() => {})
    const client = site.as(ann)
    await site.run(client.delete(ref).then(() => client.create(loops, again)))
    await site.sim.start()
    await site.clock.advance(5000)
    expect(site.loop.spec.limits.deletes).toBe(5)
    await site.declare(many(20), 10_000)
    expect(site.there().length).toBe(40)
  })
})

describe("a policy", () => {
  it("that comes while a loop is being changed counts for that loop", async () => {
    const site = await converged(10)
    const { limits, loops: book } = site.sim.plane
    const object = book.objectOf(site.loopId)
    if (object === undefined) throw new Error("there is no loop")
    const note = limits.keeper.noteLoop.bind(limits.keeper)
    let goOn = () => {}
    limits.keeper.noteLoop = async (...args) => {
      limits.keeper.noteLoop = note
      await note(...args)
      await new Promise<void>((resolve) => {
        goOn = resolve
      })
    }
    const changed = book.put({ ...object, spec: { ...object.spec, interval: "7m" } })
    const spec = { limits: { deletes: 1 } }
    const metadata = { name: "floor" }
    const policy = { apiVersion: object.apiVersion, kind: "GuardPolicy", metadata, spec }
    await site.run(site.as(ann).create({ ...loops, resource: "guardpolicies" }, policy))
    await site.clock.advance(2000)
    goOn()
    await site.run(changed)
    expect(site.loop.spec.floors.map((floor) => floor.by)).toEqual(["floor"])
  })
})

describe("an approval of several actions", () => {
  /** Marks nothing until it is called. */
  function holdMarks(site: Site): () => void {
    const { verbs } = site.sim.plane.engine
    const mark = verbs.delete
    Object.assign(verbs, { delete: () => Promise.reject(new Error("the store is busy")) })
    return () => Object.assign(verbs, { delete: mark })
  }

  it("covers each of them, also those of one object", async () => {
    const guarded = (on: boolean) =>
      many(4).map((one) => {
        const annotations = { "setpoint.dev/protect": "true" }
        const metadata = { ...one.metadata, annotations }
        return on && one.metadata.name === "w0" ? { ...one, metadata } : one
      })
    const site = await Site.open({ loop: { onDrift: "Hold" } })
    await site.declare(guarded(true))
    await site.declare(guarded(false))
    site.world.edit("w0", { size: 9 })
    await site.look()
    const verbs = site.pending().held.map(({ action }) => action.verb)
    expect(verbs.sort()).toEqual(["loosen", "update"])
    await site.approve()
    expect(site.world.find("w0")[0]?.value).toMatchObject({ size: 1 })
    expect(site.plans().map((plan) => plan.phase)).not.toContain("Pending")
  })

  /** Made by API, and asked to be deleted: its plan. */
  async function asked(loop: JsonObject = {}): Promise<{ site: Site; plan: PlanDocument }> {
    const site = await Site.open({ source: false, loop })
    for (const name of names(4)) await site.create(widget(name))
    await site.clock.advance(5000)
    await site.refused(site.as(ann).deleteCollection(widgets, { namespace: "default" }))
    return { site, plan: site.pending() }
  }

  it("is not counted as done by a look at an object that is still to be deleted", async () => {
    const { site, plan } = await asked()
    const goOn = holdMarks(site)
    await site.run(site.approval(plan))
    await site.look()
    expect(site.plan(plan.name).phase).toBe("Executing")
    goOn()
    await site.clock.advance(10_000)
    expect(site.there()).toEqual([])
    expect(site.plan(plan.name).phase).toBe("Done")
  })

  it("marks nothing any more when it is over", async () => {
    const { site, plan } = await asked({ approvals: { expiresAfter: "5m" } })
    const goOn = holdMarks(site)
    await site.run(site.approval(plan))
    await site.clock.advance(6 * minute)
    expect(site.plan(plan.name).phase).toBe("Expired")
    goOn()
    await site.clock.advance(minute)
    expect((await site.object("w3"))?.metadata.deletionTimestamp).toBeUndefined()
    expect(site.there().length).toBe(4)
  })
})

describe("a protection", () => {
  const guarded = (one: ApiObject): ApiObject => {
    const annotations = { "setpoint.dev/protect": "true" }
    return { ...one, metadata: { ...one.metadata, annotations } }
  }

  it("is remembered of an object that is not as declared, too", async () => {
    const site = await converged(30, { loop: { onDrift: "Hold" } })
    site.world.edit("w0", { size: 9 })
    await site.look()
    const [first, ...others] = many(30)
    if (first === undefined) throw new Error("there is none")
    await site.declare([guarded(first), ...others])
    await site.declare([first, ...others])
    await site.declare(others, 8000)
    expect(site.there()).toContain("w0")
  })
})

describe("a permission to delete", () => {
  it("whose mark was refused is given back", async () => {
    const limits = { deletes: 2, deletesPercent: 100, window: "10m" }
    const site = await Site.open({ source: false, loop: { limits } })
    for (const name of names(5)) await site.create(widget(name))
    await site.clock.advance(5000)
    const ref = { ...widgets, namespace: "default", name: "w0" }
    const { resourceVersion = "" } = (await site.object("w0"))?.metadata ?? {}
    const { judge } = site.sim.plane.engine
    const judging = judge.judge.bind(judge)
    judge.judge = async (request) => {
      judge.judge = judging
      const verdict = await judging(request)
      await site.as(ann).patch(ref, "merge", { metadata: { labels: { seen: "yes" } } })
      return verdict
    }
    await site.refused(site.as(ann).delete(ref, { resourceVersion }))
    const { budgets } = site.sim.plane.engine.ledger
    const uid = (await site.object("w0"))?.metadata.uid ?? ""
    expect(budgets.grantOf(uid)).toBeDefined()
    await site.clock.advance(11 * minute)
    expect(budgets.grantOf(uid)).toBeUndefined()
    expect(budgets.deletesInWindow(site.loopId, 10 * minute)).toBe(0)
  })

  it("does not hold for what is protected before its mark", async () => {
    const site = await Site.open({ source: false })
    for (const name of names(30)) await site.create(widget(name))
    await site.clock.advance(5000)
    const ref = { ...widgets, namespace: "default", name: "w0" }
    const { judge } = site.sim.plane.engine
    const judging = judge.judge.bind(judge)
    judge.judge = async (request) => {
      judge.judge = judging
      const verdict = await judging(request)
      const annotations = { "setpoint.dev/protect": "true" }
      await site.as(ann).patch(ref, "merge", { metadata: { annotations } })
      return verdict
    }
    expect(await site.refused(site.as(ann).delete(ref))).toContain("protect")
    expect((await site.object("w0"))?.metadata.deletionTimestamp).toBeUndefined()
    expect(site.there()).toContain("w0")
  })
})

describe("what waits", () => {
  const quiet: Readonly<Record<string, (site: Site) => Promise<void>>> = {
    "in a loop that observes": async (site) => {
      await site.run(site.as(ann).patch(loopRef, "merge", { spec: { mode: "Observe" } }))
      await site.declare(many(7))
    },
    "for a window": async (site) => {
      const windows = [{ schedule: "0 0 1 6 *", duration: "1h" }]
      await site.run(site.as(ann).patch(loopRef, "merge", { spec: { windows } }))
      await site.declare(many(7))
    },
    "since everything vanished": async (site) => {
      site.world.faults.add({ how: "lieEmpty", on: ["observe", "list"] })
      await site.look()
    },
  }
  for (const [how, begin] of Object.entries(quiet)) {
    it(`${how} is not written again with every round`, async () => {
      const site = await converged(6, { loop: { interval: "1m" } })
      await begin(site)
      await site.clock.advance(30 * minute)
      const { revision } = site
      await site.clock.advance(60 * minute)
      expect(site.revision).toBe(revision)
    })
  }
})

describe("a broken glass", () => {
  it("counts what it lifts of a batch that goes as a whole", async () => {
    const kind = { flavour: "batch", batchWhole: true, replaceOn: ["color"] } as const
    const site = await converged(6, { ...kind, loop: { limits: { deletes: 1 } } })
    const body = { loop: site.loopId, reason: "the wrong color hurts", deletes: 10 }
    await site.run(site.as(ann).call("POST", "/setpoint/v1/break-glass", body))
    const [first, ...others] = many(6)
    if (first === undefined) throw new Error("there is none")
    const blue = others.map((one) => ({ ...one, spec: { ...one.spec, color: "blue" } }))
    await site.declare([{ ...first, spec: { ...first.spec, size: 2 } }, ...blue], 20_000)
    const glass = site.sim.plane.engine.ledger.breakGlass.live(site.loopId)
    expect(glass?.deletesLeft).toBe(5)
  })
})
