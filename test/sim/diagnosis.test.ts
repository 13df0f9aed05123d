// What does not converge is diagnosed: in the object's status, in events and in `explain`; and a
// diagnosis that stands is a status that rests.

import { afterEach, describe, expect, it } from "vitest"
import { at, isObject, type JsonObject } from "../../src/base/json.ts"
import { disarm } from "../../src/base/protections.ts"
import { ann, flavours, Site, widget, widgets } from "./site.ts"

const minute = 60_000
let armed: (() => void)[] = []
afterEach(() => {
  for (const arm of armed) arm()
  armed = []
})

async function diagnosisOf(site: Site, name: string): Promise<JsonObject> {
  const found = at((await site.object(name))?.status, "diagnosis")
  return isObject(found) ? found : {}
}

async function explain(site: Site, name: string): Promise<JsonObject> {
  const key = `widgets.sim.setpoint.dev/default/${name}`
  const path = `/setpoint/v1/explain?object=${encodeURIComponent(key)}`
  return (await site.run(site.as(ann).call("GET", path))) as JsonObject
}

async function events(site: Site, reason: string): Promise<string[]> {
  const resource = { group: "", version: "v1", resource: "events" }
  const { items } = await site.run(site.as(ann).list(resource, { namespace: "default" }))
  return items.filter((one) => one.reason === reason).map((one) => String(one.message))
}

describe.each(flavours)("diagnosis (%s)", (flavour) => {
  it("names refused credentials while reading, and is gone when it converges", async () => {
    const site = await Site.open({ flavour })
    await site.declare([widget("w0")])
    expect(await diagnosisOf(site, "w0")).toEqual({})
    site.world.faults.add({ how: "unauthorized" })
    await site.look(5000)
    await site.declare([widget("w0", { color: "green" })])
    const found = await diagnosisOf(site, "w0")
    expect(found.class).toBe("Permission")
    expect(String(found.evidence)).toContain("HTTP status 401")
    expect(found.next).toContain("right to read")
    expect((await events(site, "NotConverging")).join()).toContain("Permission")
    site.world.faults.calm()
    await site.clock.advance(10 * minute)
    expect(await site.reason("w0")).toBe("Converged")
    expect(await diagnosisOf(site, "w0")).toEqual({})
  })

  it("tells a refused act from a throttled one", async () => {
    const site = await Site.open({ flavour })
    site.world.faults.add({ how: "refused", on: ["create", "batch"] })
    await site.declare([widget("w0")])
    expect((await diagnosisOf(site, "w0")).class).toBe("BadSpec")
    const slow = await Site.open({ flavour })
    slow.world.faults.add({ how: "throttled", on: ["create", "batch"] })
    await slow.declare([widget("w0")])
    expect((await diagnosisOf(slow, "w0")).class).toBe("Transient")
  })

  it("rests while it stands: attempts go on and nothing is written", async () => {
    const site = await Site.open({ flavour })
    site.world.faults.add({ how: "serverError" })
    await site.declare([widget("w0")])
    await site.clock.advance(30 * minute)
    const first = await diagnosisOf(site, "w0")
    expect(first.class).toBe("Transient")
    expect(String(first.evidence)).toContain("did not pass by itself")
    const before = { revision: site.revision, told: await explain(site, "w0") }
    await site.clock.advance(60 * minute)
    expect(site.revision).toBe(before.revision)
    const later = await explain(site, "w0")
    const attempts = (told: JsonObject) => Number(at(told, "state", "attempts"))
    expect(attempts(later)).toBeGreaterThan(attempts(before.told))
    expect(await diagnosisOf(site, "w0")).toEqual(first)
  })

  it("tells what may pass only when it lasts", async () => {
    const site = await Site.open({ flavour })
    site.world.faults.add({ how: "serverError" })
    await site.declare([widget("w0")])
    expect(await events(site, "NotConverging")).toEqual([])
    await site.clock.advance(30 * minute)
    expect(await events(site, "NotConverging")).toHaveLength(1)
    await site.restart()
    await site.clock.advance(30 * minute)
    expect(await events(site, "NotConverging")).toHaveLength(1)
    expect(String((await diagnosisOf(site, "w0")).evidence)).toContain("did not pass")
  })

  it("names the object that has the target", async () => {
    const site = await Site.open({ flavour })
    await site.declare([widget("w0")])
    await site.declare([widget("w0"), widget("w1", { name: "w0" })])
    const found = await diagnosisOf(site, "w1")
    expect(found.class).toBe("Conflict")
    expect(String(found.evidence)).toContain("widgets.sim.setpoint.dev/default/w0")
  })

  it("names guard and plan of what is held, and how to adopt what is not ours", async () => {
    const site = await Site.open({ flavour, loop: { mode: "Propose" } })
    await site.declare([widget("w0")])
    const held = await diagnosisOf(site, "w0")
    expect(held.class).toBe("Policy")
    expect(String(held.evidence)).toContain("guard mode (Propose)")
    expect(held.next).toContain(`setpoint approve ${site.pending().name}`)
    const own = await Site.open({ flavour })
    own.world.create({ identity: "w0", scope: "all", value: { name: "w0", size: 7 } }, "them")
    await own.declare([widget("w0")])
    const foreign = await diagnosisOf(own, "w0")
    expect(foreign.class).toBe("Conflict")
    expect(foreign.next).toContain("setpoint adopt widget w0")
  })

  it("counts by class in the status of the plane, with the oldest", async () => {
    const site = await Site.open({ flavour })
    site.world.faults.add({ how: "unauthorized", on: ["create", "batch"] })
    await site.declare([widget("w0"), widget("w1")])
    const loops = (await site.status()).loops
    const loop = Array.isArray(loops) ? loops.find((one) => at(one, "id") === site.loopId) : {}
    expect(at(loop, "classes")).toEqual({ Permission: 2 })
    expect(at(loop, "oldest", "class")).toBe("Permission")
  })
})

describe("a deletion that does not end", () => {
  const overdue = async (): Promise<Site> => {
    const site = await Site.open({ source: false, loop: { deletionDeadline: "10m" } })
    await site.create(widget("w0"))
    await site.create(widget("w1"))
    await site.clock.advance(30 * minute)
    site.world.faults.add({ how: "serverError", on: ["delete"] })
    await site.run(site.delete("w0"))
    await site.clock.advance(5 * minute)
    expect(await site.condition("w0", "Stalled")).toBeUndefined()
    await site.clock.advance(30 * minute)
    return site
  }

  it("is stalled when its deadline is over, with the way out, and goes on trying", async () => {
    const site = await overdue()
    expect(site.there()).toEqual(["w0", "w1"])
    expect(await site.reason("w0")).toBe("DeletionOverdue")
    expect((await site.condition("w0", "Stalled"))?.status).toBe("True")
    const found = await diagnosisOf(site, "w0")
    expect(found.class).toBe("Transient")
    expect(found.next).toContain("setpoint release widget w0 --orphan --reason TEXT")
    site.world.faults.calm()
    await site.clock.advance(30 * minute)
    expect(await site.object("w0")).toBeUndefined()
    expect(site.there()).toEqual(["w1"])
  })

  it("twin: without the deadline nobody hears of it", async () => {
    armed.push(disarm("deletion-deadline"))
    const site = await overdue()
    expect(await site.reason("w0")).not.toBe("DeletionOverdue")
    expect(await site.condition("w0", "Stalled")).toBeUndefined()
  })

  it("names the finalizer of somebody else that keeps the object", async () => {
    const site = await Site.open({ source: false, loop: { deletionDeadline: "10m" } })
    const object = widget("w0")
    const metadata = { ...object.metadata, finalizers: ["example.com/keep"] }
    await site.create({ ...object, metadata })
    await site.create(widget("w1"))
    await site.clock.advance(30 * minute)
    await site.run(site.delete("w0"))
    await site.clock.advance(minute)
    expect(site.there()).toEqual(["w1"])
    expect(await site.reason("w0")).toBe("ForeignFinalizer")
    await site.clock.advance(15 * minute)
    expect(await site.reason("w0")).toBe("DeletionOverdue")
    const found = await diagnosisOf(site, "w0")
    expect(found.class).toBe("Dependency")
    expect(String(found.evidence)).toContain("example.com/keep")
    const ref = { ...widgets, namespace: "default", name: "w0" }
    const patch = { metadata: { finalizers: [] } }
    await site.run(site.as(ann).patch(ref, "merge", patch))
    await site.clock.advance(minute)
    expect(await site.object("w0")).toBeUndefined()
  })
})
