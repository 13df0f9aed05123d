import { afterEach, describe, expect, it } from "vitest"
import { at, type JsonObject } from "../../src/base/json.ts"
import { disarm } from "../../src/base/protections.ts"
import { calm, colors, keep, oneRed, resource, statusOf } from "./invariant-site.ts"
import { ann, flavours, Site, widget } from "./site.ts"

let arm = () => {}
afterEach(() => arm())

describe.each(flavours)("a plan that would break an invariant (%s)", (flavour) => {
  async function openSite(): Promise<Site> {
    const site = await Site.open({ flavour, loop: calm })
    await site.declare(colors(["a", "red"], ["b", "red"], ["c", "blue"]))
    await keep(site, "one-red", { expression: oneRed, message: "somebody must be red" })
    expect(await statusOf(site, "one-red")).toMatchObject({ state: "Holding" })
    return site
  }

  it("is denied when it is an update", async () => {
    const site = await openSite()
    await site.declare(colors(["a", "blue"], ["b", "blue"], ["c", "blue"]))
    expect(site.world.targets().filter((one) => one.value.color === "red")).toHaveLength(1)
    const reasons = [await site.reason("a"), await site.reason("b")]
    expect(reasons.sort()).toEqual(["Converged", "InvariantBroken"])
    expect(await statusOf(site, "one-red")).toMatchObject({ state: "Holding" })
  })

  it("is denied when it is a prune, before anything is marked", async () => {
    const site = await openSite()
    await site.declare(colors(["c", "blue"]))
    expect(site.there()).toEqual(["a", "b", "c"])
    for (const one of await site.objects()) expect(one.metadata.deletionTimestamp).toBeUndefined()
    expect(site.plans()).toEqual([])
    const key = "widgets.sim.setpoint.dev/default/a"
    const told = await site.run(site.as(ann).call("GET", `/setpoint/v1/explain?object=${key}`))
    expect(told).toMatchObject({ undeclared: expect.stringContaining("one-red") })
    const kept = { objects: 2, why: expect.stringContaining("one-red") }
    const { loops } = await site.status()
    expect(loops).toMatchObject([{}, {}, { id: "default.site", source: { state: "good", kept } }])
  })

  it("lets go what leaves it true", async () => {
    const site = await openSite()
    await site.declare(colors(["b", "red"], ["c", "blue"]))
    expect(site.there()).toEqual(["b", "c"])
    await site.declare(colors(["b", "red"], ["c", "blue"], ["d", "green"]))
    expect(site.there()).toEqual(["b", "c", "d"])
  })

  it("happens without the protection", async () => {
    const site = await openSite()
    arm = disarm("invariant-denies")
    await site.declare(colors(["c", "blue"]))
    expect(site.there()).toEqual(["c"])
    await site.clock.advance(10_000)
    expect(await statusOf(site, "one-red")).toMatchObject({ state: "Broken" })
  })

  it("is denied although a person approved it, when the world has moved on", async () => {
    const site = await openSite()
    await site.run(site.as(ann).patch(loopRef, "merge", { spec: { mode: "Propose" } }))
    await site.declare(colors(["a", "blue"], ["b", "red"], ["c", "blue"]))
    expect(site.pending().held.map(({ action }) => action.verb)).toEqual(["update"])
    site.world.edit("b", { color: "green" })
    await site.look(3000)
    const mine = site.pending().held.filter(({ action }) => action.object.endsWith("/a"))
    const actions = mine.map(({ action }) => action.digest)
    const refused = await site.refused(site.approval(site.pending(), { actions }))
    expect(refused).toContain("is not waiting any more")
    expect(site.world.find("a")[0]?.value).toMatchObject({ color: "red" })
  })

  it("is denied before it is held: nobody approves in vain", async () => {
    const site = await openSite()
    await site.run(site.as(ann).patch(loopRef, "merge", { spec: { mode: "Propose" } }))
    await site.declare(colors(["a", "blue"], ["b", "blue"], ["c", "blue"]))
    expect(site.pending().held).toHaveLength(1)
    const reasons = [await site.reason("a"), await site.reason("b")]
    expect(reasons).toContain("InvariantBroken")
  })

  it("keeps its rename: the new one is made first", async () => {
    const site = await openSite()
    await site.declare(colors(["b", "red"], ["c", "blue"]))
    await site.declare(colors(["d", "red"], ["c", "blue"]))
    expect(site.there()).toContain("b")
    await site.look(5000)
    expect(site.there()).toEqual(["c", "d"])
  })
})

describe("deletes by the API", () => {
  async function openSite(loop: JsonObject = {}): Promise<Site> {
    const site = await Site.open({ source: false, loop: { ...calm, ...loop } })
    for (const name of ["a", "b"]) await site.create(widget(name, { color: "red" }))
    await site.clock.advance(2000)
    await keep(site, "one-red", { expression: oneRed, message: "somebody must be red" })
    return site
  }

  it("that come at once are not each allowed because of the other", async () => {
    const site = await openSite()
    const both = ["a", "b"].map((name) => site.delete(name).then(String, (error) => String(error)))
    const answers = await site.run(Promise.all(both))
    await site.clock.advance(5000)
    expect(site.there()).toHaveLength(1)
    const refused = answers.filter((answer) => answer.includes("it would break"))
    expect(refused).toHaveLength(1)
    expect(refused[0]).toContain("one-red (somebody must be red)")
  })

  it("are not approved any more when the world has moved on", async () => {
    const site = await openSite({ limits: { deletes: 0 } })
    await site.refused(site.delete("a"))
    const plan = site.pending()
    site.world.edit("b", { color: "green" })
    await site.run(site.as(ann).call("POST", "/setpoint/v1/stop", { loop: site.loopId }))
    await site.look(3000)
    expect(await site.refused(site.approval(plan))).toContain("it would break invariant one-red")
    expect((await site.object("a"))?.metadata.deletionTimestamp).toBeUndefined()
    expect(site.there()).toEqual(["a", "b"])
  })
})

const loopRef = { ...resource("loops"), namespace: "default", name: "site" }

describe("an invariant over what is observed", () => {
  async function openSite(spec: JsonObject, onDrift = "Report"): Promise<Site> {
    const site = await Site.open({ loop: { ...calm, onDrift } })
    await site.declare(colors(["a", "red"], ["c", "blue"]))
    await keep(site, "one-red", { expression: oneRed, message: "somebody must be red", ...spec })
    return site
  }

  it("is told with its evidence when somebody breaks it, and when it holds again", async () => {
    const expression = "objects.all(o, o.spec.size < 10)"
    const site = await openSite({ expression, message: "nothing is large" })
    site.world.edit("c", { size: 99 })
    await site.look(10_000)
    expect(await statusOf(site, "one-red")).toMatchObject({
      state: "Broken",
      message: "nothing is large: Widget c",
      evidence: ["Widget c"],
    })
    site.world.edit("c", { size: 1 })
    await site.look(10_000)
    expect(await statusOf(site, "one-red")).toMatchObject({ state: "Holding", evidence: [] })
    const told = (await site.journal()).flatMap(({ event }) =>
      event.type === "invariant" ? [event.state] : [],
    )
    expect(told).toEqual(["Holding", "Broken", "Holding"])
  })

  it("stops its loop, and only once", async () => {
    const site = await openSite({ onBroken: "StopLoop" })
    site.world.edit("a", { color: "blue" })
    await site.look(10_000)
    const [stop, ...more] = site.sim.stop.entries()
    expect(more).toEqual([])
    expect(stop).toMatchObject({ loop: "default.site", scope: "all", by: "setpoint:engine" })
    expect(stop?.reason).toContain("one-red")
    const before = site.mutations
    await site.declare(colors(["a", "red"], ["c", "green"]))
    expect(site.mutations).toBe(before)
    await site.run(site.as(ann).call("POST", "/setpoint/v1/resume", { loop: "default.site" }))
    await site.restart()
    await site.clock.advance(60_000)
    expect(site.sim.stop.entries()).toEqual([])
    expect(site.mutations).toBeGreaterThan(before)
  })

  it("can stop deletes alone", async () => {
    const site = await openSite({ onBroken: "StopDeletes" })
    site.world.edit("a", { color: "blue" })
    await site.look(10_000)
    expect(site.sim.stop.entries()).toMatchObject([{ loop: "default.site", scope: "deletes" }])
  })

  it("says nothing of what the loop heals in time", async () => {
    const site = await openSite({}, "Correct")
    site.world.edit("a", { color: "blue" })
    await site.look(20_000)
    expect(await statusOf(site, "one-red")).toMatchObject({ state: "Holding" })
    const told = (await site.journal()).filter(({ event }) => event.type === "invariant")
    expect(told).toHaveLength(1)
  })

  it("writes nothing while nothing happens", async () => {
    const site = await openSite({})
    await site.look(10_000)
    const { revision } = site
    await site.clock.advance(1_800_000)
    expect(site.revision).toBe(revision)
  })
})

describe("a correction", () => {
  const correction = {
    apiVersion: "sim.setpoint.dev/v1",
    kind: "Widget",
    name: "a",
    spec: { color: "red" },
  }

  async function openSite(spec: JsonObject = {}, loop: JsonObject = {}): Promise<Site> {
    const site = await Site.open({ source: false, loop: { ...calm, ...loop } })
    await site.create(widget("a", { color: "red" }))
    await site.create(widget("b", { color: "red" }))
    await site.clock.advance(2000)
    await keep(site, "one-red", { expression: oneRed, correction, ...spec })
    return site
  }

  async function breakIt(site: Site, then: () => Promise<void> = async () => {}): Promise<void> {
    arm = disarm("invariant-denies")
    const ref = { group: "sim.setpoint.dev", version: "v1", resource: "widgets" }
    for (const name of ["a", "b"]) {
      const where = { ...ref, namespace: "default", name }
      await site.run(site.as(ann).patch(where, "merge", { spec: { color: "blue" } }))
    }
    await site.clock.advance(3000)
    arm()
    await then()
    await site.clock.advance(10_000)
  }

  it("is asked for as a change of the declaration, which guards judge like any other", async () => {
    const site = await openSite()
    await breakIt(site)
    expect(site.world.find("a")[0]?.value).toMatchObject({ color: "red" })
    expect(await statusOf(site, "one-red")).toMatchObject({ state: "Holding" })
    const manager = (await site.object("a"))?.metadata.managedFields ?? []
    expect(JSON.stringify(manager)).toContain("setpoint-invariant/default.one-red")
  })

  it("waits for a person where every action does", async () => {
    const site = await openSite()
    const where = { ...resource("loops"), namespace: "default", name: "default" }
    await breakIt(site, async () => {
      await site.run(site.as(ann).patch(where, "merge", { spec: { mode: "Propose" } }))
    })
    expect(at(await statusOf(site, "one-red"), "correction")).toBe("asked for on Widget a")
    expect(site.world.find("a")[0]?.value).toMatchObject({ color: "blue" })
    expect(site.pending().held.map(({ action }) => action.verb)).toEqual(["update"])
    await site.approve()
    await site.clock.advance(10_000)
    expect(site.world.find("a")[0]?.value).toMatchObject({ color: "red" })
    expect(await statusOf(site, "one-red")).toMatchObject({ state: "Holding" })
  })

  it("reaches only objects of its own loop", async () => {
    const site = await openSite({ correction: { ...correction, name: "nobody" } })
    await breakIt(site)
    expect(at(await statusOf(site, "one-red"), "correction")).toContain("refused")
  })
})

describe("an invariant that can't be evaluated", () => {
  async function openSite(): Promise<Site> {
    const site = await Site.open({ loop: calm })
    await site.declare(colors(["a", "red"], ["b", "red"], ["c", "blue"]))
    await keep(site, "one-red", { expression: oneRed })
    site.world.faults.add({ on: ["observe"], identity: "b", how: "serverError" })
    await site.look(20_000)
    expect(await statusOf(site, "one-red")).toMatchObject({ state: "Unknown" })
    return site
  }

  it("blocks destruction and nothing else", async () => {
    const site = await openSite()
    await site.declare(colors(["a", "red"], ["b", "red"], ["d", "green"]))
    expect(site.there()).toEqual(["a", "b", "c", "d"])
    await site.declare(colors(["a", "pink"], ["b", "red"], ["d", "green"]))
    expect(site.world.find("a")[0]?.value).toMatchObject({ color: "pink" })
  })

  it("lets things be destroyed without the protection", async () => {
    const site = await openSite()
    arm = disarm("unevaluable-invariant-blocks-destruction")
    await site.declare(colors(["a", "red"], ["b", "red"]))
    expect(site.there()).toEqual(["a", "b"])
  })
})

it("an invariant sees secrets only as hashes: nobody guesses them by its state", async () => {
  const site = await Site.open({ secretPaths: ["color"] })
  await site.declare(colors(["a", "red"]))
  await keep(site, "guess", { expression: oneRed, for: "1s" }, 10_000)
  expect(await statusOf(site, "guess")).toMatchObject({ state: "Broken" })
})

it("an invariant of a loop that is not there is unknown", async () => {
  const site = await Site.open()
  await keep(site, "lost", { expression: "objects.size() == 0", loop: "nowhere" }, 10_000)
  expect(await statusOf(site, "lost")).toMatchObject({
    state: "Unknown",
    message: "it can't be evaluated: there is no loop default.nowhere",
  })
})
