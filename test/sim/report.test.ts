import { describe, expect, it } from "vitest"
import { isObject, type Json, type JsonObject } from "../../src/base/json.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { CrashPoints } from "../../src/sim/crash-points.ts"
import { crashingStore } from "../../src/sim/crashing-port.ts"
import { ann, flavours, loops, names, Site, widget } from "./site.ts"

const all = (count: number, spec: JsonObject = {}) => names(count).map((name) => widget(name, spec))
const minute = 60_000

async function report(site: Site, query: Record<string, string> = {}): Promise<JsonObject> {
  const text = new URLSearchParams({ loop: site.loopId, ...query })
  const answer = await site.run(site.as(ann).call("GET", `/setpoint/v1/report?${text}`))
  if (!isObject(answer)) throw new Error("no report")
  return answer
}

const list = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

describe.each(flavours)("the report of a loop that observes (%s)", (flavour) => {
  it("says what it would have done, to how many objects, when and why", async () => {
    const site = await Site.open({ flavour, loop: { mode: "Observe" } })
    await site.declare(all(5))
    await site.declare(all(5, { color: "blue" }))
    const { would, wouldObjects, causes, done, mode } = await report(site, { since: "3d" })
    expect(mode).toBe("Observe")
    expect(would).toMatchObject([{ verb: "create", kind: "Widget", actions: 10, objects: 5 }])
    expect(wouldObjects).toBe(5)
    expect(causes).toMatchObject([{ name: "edit", count: 10 }])
    expect(done).toEqual([])
    expect(site.mutations).toBe(0)
  })

  it("counts a set once, however often it is looked at and restarted", async () => {
    const site = await Site.open({ flavour, loop: { mode: "Observe" } })
    await site.declare(all(5))
    for (let life = 0; life < 3; life++) {
      await site.look()
      await site.restart()
    }
    const { would } = await report(site)
    expect(would).toMatchObject([{ actions: 5, objects: 5 }])
  })

  it("counts it again when the loop was changed", async () => {
    const site = await Site.open({ flavour, loop: { mode: "Observe" } })
    await site.declare(all(1))
    await site.run(
      site.as(ann).patch({ ...loops, namespace: "default", name: "site" }, "merge", {
        spec: { interval: "7m" },
      }),
    )
    await site.clock.advance(3000)
    expect((await report(site)).would).toMatchObject([{ actions: 2, objects: 1 }])
  })
})

describe("the report", () => {
  it("says which limits would have kept actions back", async () => {
    const site = await Site.open({ loop: { limits: { changes: 2 } } })
    await site.declare(all(5))
    const patch = { spec: { mode: "Observe" } }
    await site.run(
      site.as(ann).patch({ ...loops, namespace: "default", name: "site" }, "merge", patch),
    )
    await site.declare(all(5, { color: "blue" }))
    const { wouldKeep, would } = await report(site)
    expect(would).toMatchObject([{ verb: "update", actions: 5 }])
    expect(list(wouldKeep).find(({ name }) => name === "ChangeLimit")).toMatchObject({ count: 3 })
  })

  it("of a loop that acts says what it did, what was held and which plan waits", async () => {
    const site = await Site.open({ loop: { limits: { deletes: 1, deletesPercent: 100 } } })
    await site.declare(all(6))
    site.world.edit("w1", { color: "blue" })
    await site.look()
    await site.declare(all(2))
    const told = await report(site)
    expect(told.done).toMatchObject([
      { verb: "create", actions: 6, objects: 6 },
      { verb: "update", actions: 1, objects: 1 },
    ])
    expect(list(told.causes).map(({ name }) => name)).toEqual(["edit", "drift"])
    expect(told.held).toMatchObject({ actions: 4 })
    expect(list(isObject(told.held) ? told.held.reasons : [])[0]).toMatchObject({
      name: "DeleteLimit",
    })
    expect(told.pending).toEqual({ name: site.pending().name, actions: 4 })
  })

  it("begins where it is told to", async () => {
    const site = await Site.open({})
    await site.declare(all(3))
    await site.clock.advance(60 * minute)
    site.world.edit("w1", { color: "blue" })
    await site.look()
    expect((await report(site, { since: "10m" })).done).toMatchObject([
      { verb: "update", actions: 1 },
    ])
    expect((await report(site, { since: "2h" })).done).toHaveLength(2)
    const refused = site
      .as(ann)
      .call("GET", "/setpoint/v1/report?loop=default.site&since=yesterday")
    expect(await site.refused(refused)).toContain("since yesterday")
    const none = site.as(ann).call("GET", "/setpoint/v1/report?loop=default.nothing")
    expect(await site.refused(none)).toContain("default.nothing")
  })
})

/** Seconds of the one object's report. */
async function compliance(site: Site, name: string, since = "30d") {
  const told = await report(site, { compliance: "true", since })
  const found = list(told.objects).find(({ object }) => String(object).endsWith(`/${name}`))
  if (found === undefined) throw new Error(`${name} is not in the report`)
  const seconds = (value: Json | undefined) => Math.round(Number(value) / 1000)
  const { now, outages, share, last } = found
  return {
    ...{ now, outages, share, last: list(last), down: list(told.down) },
    in: seconds(found.inMs),
    out: seconds(found.outMs),
    unobserved: seconds(found.unobservedMs),
    longest: seconds(found.longestMs),
  }
}

describe.each(flavours)("compliance (%s)", (flavour) => {
  it("is all of the time for what was never touched", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(2))
    await site.clock.advance(60 * minute)
    const told = await compliance(site, "w0")
    expect(told).toMatchObject({ now: "in", share: 1, outages: 0, out: 0, unobserved: 0 })
    expect(told.in).toBeGreaterThanOrEqual(3600)
  })

  it("counts the time between drift that was held and its correction", async () => {
    const site = await Site.open({ flavour, loop: { onDrift: "Hold" } })
    await site.declare(all(2))
    await site.clock.advance(30 * minute)
    site.world.edit("w1", { color: "blue" })
    await site.look()
    await site.clock.advance(10 * minute)
    expect(await compliance(site, "w1")).toMatchObject({ now: "out", outages: 1 })
    await site.approve()
    await site.clock.advance(20 * minute)
    const told = await compliance(site, "w1")
    expect(told).toMatchObject({ now: "in", outages: 1, unobserved: 0 })
    expect(told.out).toBeGreaterThanOrEqual(600)
    expect(told.out).toBeLessThan(610)
    expect(told.longest).toBe(told.out)
    expect(told.last).toMatchObject([{ state: "held", reason: "Drift" }])
    expect(told.share).toBeCloseTo(told.in / (told.in + told.out), 3)
    expect(await compliance(site, "w0")).toMatchObject({ outages: 0, out: 0 })
  })

  it("counts drift that was corrected at once as an outage too", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(2))
    await site.clock.advance(5 * minute)
    site.world.edit("w1", { color: "blue" })
    await site.look()
    expect(await compliance(site, "w1")).toMatchObject({ now: "in", outages: 1, longest: 0 })
  })

  it("shows what could not be read as unobserved, not as out", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(1))
    await site.clock.advance(5 * minute)
    site.world.faults.add({ how: "serverError", on: ["observe", "list"], times: 1000 })
    await site.look()
    await site.clock.advance(10 * minute)
    site.world.faults.calm()
    await site.clock.advance(10 * minute)
    const told = await compliance(site, "w0")
    expect(told).toMatchObject({ now: "in", out: 0, outages: 0 })
    expect(told.unobserved).toBeGreaterThanOrEqual(9 * 60)
  })
})

describe("a restart", () => {
  it("is no outage: the time in which no plane ran is unobserved", async () => {
    const site = await Site.open({})
    await site.declare(all(2))
    await site.clock.advance(30 * minute)
    await site.sim.stopPlane()
    await site.clock.advance(20 * minute)
    await site.sim.start()
    await site.clock.advance(10 * minute)
    const told = await compliance(site, "w0")
    expect(told).toMatchObject({ now: "in", outages: 0, out: 0, unobserved: 20 * 60, share: 1 })
    expect(told.down).toHaveLength(1)
  })

  it("keeps an outage that began before it, without the time in which nobody looked", async () => {
    const site = await Site.open({ loop: { onDrift: "Hold" } })
    await site.declare(all(2))
    site.world.edit("w1", { color: "blue" })
    await site.look()
    await site.clock.advance(5 * minute)
    await site.sim.stopPlane()
    await site.clock.advance(20 * minute)
    await site.sim.start()
    await site.clock.advance(5 * minute)
    const told = await compliance(site, "w1")
    expect(told).toMatchObject({ now: "out", outages: 1, unobserved: 20 * 60 })
    expect(told.out).toBeGreaterThanOrEqual(600)
    expect(told.out).toBeLessThan(620)
  })

  it("after a crash is unobserved from the last entry on: nobody knows when it ended", async () => {
    const site = await Site.open({})
    await site.declare(all(2))
    const points = new CrashPoints()
    site.sim.wrapStore = (store) => crashingStore(store, points)
    await site.restart()
    await site.clock.advance(10 * minute)
    points.crash("now")
    await site.clock.advance(20 * minute)
    site.sim.wrapStore = undefined
    await site.sim.start()
    await site.clock.advance(10 * minute)
    const told = await compliance(site, "w0")
    expect(told).toMatchObject({ now: "in", outages: 0, out: 0, share: 1 })
    expect(told.unobserved).toBeGreaterThanOrEqual(20 * 60)
  })
})

describe("an object that goes", () => {
  it("is not counted any more after it was deleted", async () => {
    const site = await Site.open({ loop: { limits: { deletes: 5, deletesPercent: 100 } } })
    await site.declare(all(4))
    await site.clock.advance(10 * minute)
    await site.declare(all(3))
    await site.clock.advance(60 * minute)
    const told = await compliance(site, "w3")
    expect(told.now).toBeUndefined()
    expect(told.in).toBeLessThan(700)
    expect(told.in).toBeGreaterThan(590)
  })

  it("goes on in the other loop when it is moved, out as it was", async () => {
    const site = await Site.open({ loop: { onDrift: "Hold" } })
    const other: ApiObject = {
      apiVersion: "setpoint.dev/v1alpha1",
      kind: "Loop",
      metadata: { name: "other", namespace: "default" },
      spec: { mode: "Enforce", onDrift: "Hold" },
    }
    await site.run(site.as(ann).create(loops, other))
    await site.declare(all(2))
    site.world.edit("w1", { color: "blue" })
    await site.look()
    const body = { object: "widgets.sim.setpoint.dev/default/w1", to: "default.other", reason: "x" }
    await site.run(site.as(ann).call("POST", "/setpoint/v1/move", body))
    await site.clock.advance(10 * minute)
    const here = await report(site, { compliance: "true" })
    const gone = list(here.objects).find(({ object }) => String(object).endsWith("/w1"))
    expect(gone?.now).toBeUndefined()
    const there = await report(site, { compliance: "true", loop: "default.other" })
    expect(list(there.objects)).toMatchObject([{ now: "out", outages: 1 }])
    expect(site.sim.plane.engine.states.outOf(site.loopId)).toEqual([])
  })
})
