// The guards of a loop in a whole plane: each scenario shows what is kept, and its twin shows that
// exactly this protection kept it.

import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import { protectAnnotation } from "../../src/object/object.ts"
import { ann, cron, loops, names, Site, type SiteOptions, widget } from "./site.ts"
import { twin } from "./twin.ts"

const many = (count: number, spec: JsonObject = {}) =>
  names(count).map((name) => widget(name, spec))

async function converged(count: number, options: SiteOptions = {}): Promise<Site> {
  const site = await Site.open(options)
  await site.declare(many(count))
  expect(site.there().length).toBe(count)
  return site
}

const codes = (site: Site) =>
  site
    .plans("Pending")
    .flatMap((plan) => plan.held.flatMap((one) => one.reasons.map((r) => r.code)))

async function setLoop(site: Site, spec: JsonObject): Promise<void> {
  const ref = { ...loops, namespace: "default", name: "site" }
  await site.run(site.as(ann).patch(ref, "merge", { spec }))
  await site.clock.advance(3000)
}

async function policy(site: Site, name: string, spec: JsonObject): Promise<void> {
  const resource = { ...loops, resource: "guardpolicies" }
  const object = {
    apiVersion: "setpoint.dev/v1alpha1",
    kind: "GuardPolicy",
    metadata: { name },
    spec,
  }
  await site.run(site.as(ann).apply(resource, object, { fieldManager: "ann", force: true }))
  await site.clock.advance(1000)
}

describe("targets that vanish all at once", () => {
  for (const flavour of ["single", "list"] as const) {
    twin("vanished-targets", `are not made again by themselves (${flavour})`, async () => {
      const site = await converged(6, { flavour })
      const before = site.world.calls.create
      site.world.faults.add({ how: "lieEmpty", on: ["observe", "list"] })
      await site.look(8000)
      return site.world.calls.create === before
    })
  }

  it("hold with a reason, and are made again when a person says so", async () => {
    const site = await converged(4)
    for (const name of site.there()) site.world.remove(name)
    await site.look(8000)
    expect(site.there()).toEqual([])
    expect(new Set(codes(site))).toEqual(new Set(["AllVanished"]))
    await site.approve()
    expect(site.there().length).toBe(4)
  })

  it("come back by themselves when the look was wrong", async () => {
    const site = await converged(4)
    const lift = site.world.faults.add({ how: "lieEmpty", on: ["observe", "list"] })
    await site.look(8000)
    lift()
    await site.look(8000)
    expect(site.plans("Pending")).toEqual([])
    expect(await site.reason("w0")).toBe("Converged")
  })

  it("are made again where the loop says Correct, and when only some are gone", async () => {
    const brave = await converged(4, { loop: { onVanish: "Correct" } })
    for (const name of brave.there()) brave.world.remove(name)
    await brave.look(8000)
    expect(brave.there().length).toBe(4)
    const site = await converged(10)
    for (const name of site.there().slice(0, 5)) site.world.remove(name)
    await site.look(10_000)
    expect(site.there().length).toBe(10)
  })

  it("hold although the first few were made again before the others were seen", async () => {
    const site = await converged(12)
    const [first = "", ...others] = site.there()
    site.world.remove(first)
    await site.look(4000)
    expect(site.there()).toContain(first)
    for (const name of others) site.world.remove(name)
    await site.look(8000)
    expect(site.there()).toEqual([first])
  })
})

describe("what destroys without being called delete", () => {
  const options: SiteOptions = { loop: { limits: { deletes: 2, deletesPercent: 100 } } }

  twin("destruction-by-effect", "waits when it scales many to zero", async () => {
    const site = await Site.open(options)
    await site.declare([widget("a", { replicas: 5 }), widget("b")])
    await site.declare([widget("a", { replicas: 0 }), widget("b")], 6000)
    return site.world.find("a")[0]?.value.replicas === 5 && codes(site).includes("DeleteLimit")
  })

  twin("destruction-by-effect", "waits when it takes many keyed items away", async () => {
    const site = await Site.open(options)
    const rules = ["ssh", "web", "dns"].map((name, port) => ({ name, port }))
    await site.declare([widget("a", { rules }), widget("b")])
    await site.declare([widget("a", { rules: [] }), widget("b")], 6000)
    const kept = site.world.find("a")[0]?.value.rules
    return Array.isArray(kept) && kept.length === 3
  })

  twin("destruction-by-effect", "is counted in the window of deletes", async () => {
    const site = await Site.open(options)
    await site.declare([widget("a", { replicas: 2 }), widget("b"), widget("c")])
    await site.declare([widget("a", { replicas: 0 }), widget("b"), widget("c")], 6000)
    expect(site.world.find("a")[0]?.value.replicas).toBe(0)
    await site.declare([widget("a", { replicas: 0, ttl: 5 }), widget("b", { ttl: 9 }), widget("c")])
    await site.declare(
      [widget("a", { replicas: 0, ttl: 5 }), widget("b", { ttl: 1 }), widget("c")],
      6000,
    )
    return site.world.find("b")[0]?.value.ttl === 9
  })

  it("goes on when a person approves exactly that", async () => {
    const site = await Site.open(options)
    await site.declare([widget("a", { replicas: 5 }), widget("b")])
    await site.declare([widget("a", { replicas: 0 }), widget("b")], 6000)
    await site.approve()
    expect(site.world.find("a")[0]?.value.replicas).toBe(0)
  })
})

describe("protection", () => {
  const guarded = (name: string) => {
    const plain = widget(name)
    return {
      ...plain,
      metadata: { ...plain.metadata, annotations: { [protectAnnotation]: "true" } },
    }
  }

  twin("protected-object", "keeps one object although the budget would let it go", async () => {
    const site = await Site.open()
    await site.declare([guarded("db"), ...many(20)])
    await site.declare(many(20), 6000)
    return site.there().includes("db")
  })

  twin("loosening-is-held", "stays when the annotation goes before the object does", async () => {
    const site = await Site.open()
    await site.declare([guarded("db"), ...many(20)])
    await site.declare([widget("db"), ...many(20)], 6000)
    await site.declare(many(20), 6000)
    return site.there().includes("db")
  })

  it("ends when a person approves its end, and not before", async () => {
    const site = await Site.open()
    await site.declare([guarded("db"), ...many(20)])
    await site.declare([widget("db"), ...many(20)], 6000)
    expect(codes(site)).toEqual(["Loosening"])
    await site.restart()
    expect(codes(site)).toEqual(["Loosening"])
    await site.approve()
    expect(site.plans("Pending")).toEqual([])
    await site.declare(many(20), 6000)
    expect(site.there()).not.toContain("db")
  })

  twin(
    "protected-object",
    "of a kind comes from a policy, and holds for a person too",
    async () => {
      const site = await converged(20)
      await policy(site, "data", { protectedKinds: ["Widget"] })
      await site.declare(many(19), 6000)
      return site.there().length === 20
    },
  )
})

describe("policies", () => {
  twin("policy-floor", "no loop deletes more than a policy allows", async () => {
    const site = await converged(30, { loop: { limits: { deletes: 30, deletesPercent: 100 } } })
    await policy(site, "strict", { limits: { deletes: 1, window: "1h" } })
    await site.declare(many(27), 6000)
    return site.there().length === 30 && codes(site).includes("PolicyLimit")
  })

  twin("policy-floor", "count the deletes of all loops together", async () => {
    const site = await converged(30, { loop: { limits: { deletes: 30, deletesPercent: 100 } } })
    await policy(site, "all", { everywhere: { deletes: 3, window: "1h" } })
    await site.declare(many(28), 6000)
    expect(site.there().length).toBe(28)
    await site.create(widget("hand"))
    await site.clock.advance(2000)
    await site.run(site.delete("hand"))
    await site.clock.advance(4000)
    expect(site.there().length).toBe(28)
    await site.declare(many(27), 6000)
    return site.there().length === 28
  })

  it("freeze every loop, whatever it says", async () => {
    const site = await converged(3)
    await policy(site, "christmas", { freezes: [{ schedule: "* * * * *", duration: "5m" }] })
    site.world.edit("w0", { color: "blue" })
    await site.look(6000)
    expect(site.world.find("w0")[0]?.value.color).toBe("blue")
    expect(await site.reason("w0")).toBe("Window")
  })

  twin(
    "loosening-is-held",
    "stay in force when they are deleted, until that is approved",
    async () => {
      const site = await converged(30, { loop: { limits: { deletes: 30, deletesPercent: 100 } } })
      await policy(site, "strict", { limits: { deletes: 1, window: "1h" } })
      const ref = { ...loops, resource: "guardpolicies", namespace: "", name: "strict" }
      await site.run(site.as(ann).delete(ref))
      await site.clock.advance(1000)
      await site.declare(many(27), 6000)
      return site.there().length === 30
    },
  )
})

describe("loosening", () => {
  twin("loosening-is-held", "a higher limit does not count before it is approved", async () => {
    const site = await converged(40)
    await setLoop(site, { limits: { deletes: 40, deletesPercent: 100 } })
    await site.declare(many(20), 6000)
    return site.there().length === 40 && codes(site).includes("Loosening")
  })

  it("counts from the approval on, over a restart too, and a tighter limit at once", async () => {
    const site = await converged(40)
    await setLoop(site, { limits: { deletes: 20, deletesPercent: 100 } })
    await site.approve()
    await site.restart()
    expect(site.loop.spec.limits.deletes).toBe(20)
    await setLoop(site, { limits: { deletes: 2 } })
    expect(site.loop.spec.limits.deletes).toBe(2)
    expect(site.plans("Pending")).toEqual([])
  })

  it("is void when the declaration goes back", async () => {
    const site = await converged(40)
    await setLoop(site, { limits: { deletes: 20 } })
    expect(site.plans("Pending").length).toBe(1)
    await setLoop(site, { limits: { deletes: 5 } })
    expect(site.plans("Pending")).toEqual([])
  })

  it("is refused to an agent, and tells what would become looser", async () => {
    const site = await converged(10)
    await setLoop(site, { onEmpty: "Allow", limits: { window: "1m" } })
    const [held] = site.pending().held
    expect(held?.action.changes.map((change) => change.path)).toEqual([
      "spec.limits.window",
      "spec.onEmpty",
    ])
    expect(await site.refused(site.approval(site.pending(), {}, cron))).toContain("cron")
  })
})

describe("time", () => {
  twin("time-window", "a loop acts only inside its window, and then by itself", async () => {
    const window = { schedule: "0 2 * * *", duration: "1h" }
    const site = await Site.open({ loop: { windows: [window] } })
    await site.declare(many(3), 6000)
    const early = site.there().length
    const day = 24 * 3_600_000
    const toTwo = day - (site.clock.now() % day) + 2 * 3_600_000
    await site.clock.advance(toTwo + 15 * 60_000)
    expect(site.there().length).toBe(3)
    return early === 0
  })

  twin("source-age", "nothing is destroyed on the word of a source that is silent", async () => {
    const site = await converged(30, { loop: { sourceMaxAge: "10m", interval: "1m" } })
    const lift = site.world.faults.add({ how: "refused", on: ["delete"] })
    await site.declare(many(29))
    site.sim.source.fail("the disk is gone")
    await site.clock.advance(11 * 60_000)
    lift()
    await site.clock.advance(11 * 60_000)
    return site.there().length === 30
  })
})

describe("a source that lost most of its objects", () => {
  twin("source-shrunk", "prunes nothing by itself, whatever the limits are", async () => {
    const site = await converged(30, { loop: { limits: { deletes: 100, deletesPercent: 100 } } })
    await site.declare(many(10), 6000)
    return site.there().length === 30 && codes(site).includes("SourceShrunken")
  })

  it("still holds after a restart", async () => {
    const site = await converged(30, { loop: { limits: { deletes: 100, deletesPercent: 100 } } })
    await site.declare(many(10), 6000)
    await site.restart()
    expect(site.there().length).toBe(30)
    await site.approve()
    expect(site.there().length).toBe(10)
  })
})

describe("a field with a policy of its own", () => {
  it("is reported, held or corrected by its path", async () => {
    const paths = [
      { path: "color", onDrift: "Report" },
      { path: "size", onDrift: "Hold" },
    ]
    const site = await converged(1, { loop: { paths } })
    site.world.edit("w0", { color: "blue", ttl: 7 })
    await site.look(4000)
    expect(site.world.find("w0")[0]?.value.color).toBe("blue")
    expect(site.plans("Pending")).toEqual([])
    site.world.edit("w0", { size: 9 })
    await site.look(4000)
    expect(site.world.find("w0")[0]?.value.size).toBe(9)
    expect(codes(site)).toEqual(["Drift"])
  })
})

describe("a cold start", () => {
  twin("cold-start", "destroys nothing before everything was looked at", async () => {
    const site = await converged(6)
    const lift = site.world.faults.add({ how: "refused", on: ["delete"] })
    await site.declare(many(5))
    expect(site.there().length).toBe(6)
    await site.sim.stopPlane()
    lift()
    site.world.faults.add({ how: "hang", on: ["observe", "list"], identity: "w2" })
    await site.sim.start()
    await site.clock.advance(4000)
    return site.there().length === 6
  })
})
