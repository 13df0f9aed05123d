import { afterEach, describe, expect, it } from "vitest"
import { at, type JsonObject } from "../../src/base/json.ts"
import { disarm } from "../../src/base/protections.ts"
import type { Principal } from "../../src/contract/principal.ts"
import { ann, bot, cron, flavours, names, Site, type SiteOptions, widget } from "./site.ts"

const good = (count: number) => names(count).map((name) => widget(name))
const bad = (count: number) => names(count).map((name) => widget(name, { color: "blue" }))

const undo: (() => void)[] = []
afterEach(() => {
  for (const arm of undo.splice(0)) arm()
})

async function open(options: SiteOptions = {}): Promise<Site> {
  return Site.open({ ...options, loop: { limits: { changes: 1000 }, ...options.loop } })
}

const rollback = (site: Site, body: JsonObject = {}, who: Principal = ann) =>
  site.as(who).call("POST", "/setpoint/v1/rollback", { loop: site.loopId, ...body })

const colours = (site: Site): string[] => [
  ...new Set(site.world.targets().map(({ value }) => String(value.color))),
]

async function checkpoints(site: Site): Promise<string[]> {
  const answer = await site.run(
    site.as(ann).call("GET", `/setpoint/v1/checkpoints?loop=${site.loopId}`),
  )
  const all = at(answer, "checkpoints")
  return Array.isArray(all) ? all.map((one) => `${at(one, "name")} ${at(one, "revision")}`) : []
}

describe.each(flavours)("a rollback (%s)", (flavour) => {
  it("converges and stays while the source still holds the bad revision", async () => {
    const site = await open({ flavour })
    await site.declare(good(10))
    await site.declare(bad(10))
    expect(colours(site)).toEqual(["blue"])
    expect(await checkpoints(site)).toEqual(["last-good-1 r1", "last-good r2"])
    await site.run(rollback(site, { to: "last-good-1", reason: "blue is wrong" }))
    await site.clock.advance(3000)
    expect(colours(site)).toEqual(["red"])
    const before = site.mutations
    for (let look = 0; look < 3; look++) await site.look()
    await site.clock.advance(30 * 60_000)
    expect(site.mutations).toBe(before)
    expect(colours(site)).toEqual(["red"])
    const acts = (await site.journal()).flatMap(({ event }) =>
      event.type === "receipt" && event.action.cause.kind === "rollback" ? [event.action] : [],
    )
    expect(acts).toHaveLength(10)
    expect(acts[0]?.cause).toMatchObject({ principal: "ann" })
    expect(acts[0]?.cause.text).toBe("rolled back to last-good-1 by ann: blue is wrong")
    await site.verify()
  })

  it("stays over a restart and heals drift meanwhile", async () => {
    const site = await open({ flavour })
    await site.declare(good(5))
    await site.declare(bad(5))
    await site.run(rollback(site, { to: "last-good-1" }))
    await site.restart()
    await site.look()
    expect(colours(site)).toEqual(["red"])
    site.world.edit("w1", { color: "green" })
    await site.look()
    expect(colours(site)).toEqual(["red"])
    await site.restart()
    expect(colours(site)).toEqual(["red"])
  })

  it("moves on when a newer revision arrives, and says so", async () => {
    const site = await open({ flavour })
    await site.declare(good(5))
    await site.declare(bad(5))
    await site.run(rollback(site, { to: "last-good-1" }))
    await site.clock.advance(3000)
    await site.declare([...good(5), widget("new")])
    expect(site.there()).toHaveLength(6)
    expect(colours(site)).toEqual(["red"])
    const events = (await site.journal()).flatMap(({ event }) =>
      event.type === "rollback" ? [`${event.state} ${event.revision}`] : [],
    )
    expect(events).toEqual(["asked r2", "ended r2"])
    expect(await checkpoints(site)).toEqual(["last-good-1 r1", "last-good r3"])
    await site.declare(bad(5), 5000)
    expect(colours(site)).toContain("blue")
  })

  it("is undone by the loop when nothing holds the quarantine (twin)", async () => {
    undo.push(disarm("quarantine-holds"))
    const site = await open({ flavour })
    await site.declare(good(5))
    await site.declare(bad(5))
    await site.run(rollback(site, { to: "last-good-1" }))
    await site.clock.advance(3000)
    await site.look()
    expect(colours(site)).toEqual(["blue"])
  })

  it("that deletes much is held as a plan, and done when a person approves", async () => {
    const site = await open({ flavour })
    await site.declare(good(3))
    await site.declare([...good(3), ...names(12, "x").map((name) => widget(name))])
    const answer = await site.run(rollback(site, { to: "last-good-1" }))
    await site.clock.advance(3000)
    expect(site.there()).toHaveLength(15)
    expect(await site.objects()).toHaveLength(15)
    expect((await site.objects()).filter((one) => one.metadata.deletionTimestamp)).toEqual([])
    const plan = site.pending()
    expect(at(answer, "plan")).toBe(plan.name)
    expect(plan.held).toHaveLength(12)
    expect(plan.held[0]?.action.cause.kind).toBe("rollback")
    await site.look()
    await site.restart()
    await site.approve()
    expect(site.there()).toEqual(names(3))
    const deletes = (await site.journal()).flatMap(({ event }) =>
      event.type === "receipt" && event.action.verb === "delete" ? [event.action.cause.kind] : [],
    )
    expect(new Set(deletes)).toEqual(new Set(["rollback"]))
  })

  it("marks without a judgement when it is not judged (twin)", async () => {
    undo.push(disarm("rollback-is-judged"))
    const site = await open({ flavour })
    await site.declare(good(3))
    await site.declare([...good(3), ...names(12, "x").map((name) => widget(name))])
    await site.run(rollback(site, { to: "last-good-1" }))
    await site.clock.advance(3000)
    const marked = (await site.objects()).filter((one) => one.metadata.deletionTimestamp)
    expect(marked.length + 15 - (await site.objects()).length).toBe(12)
  })

  it("stays when the source becomes unreadable or invalid", async () => {
    const site = await open({ flavour })
    await site.declare(good(5))
    await site.declare(bad(5))
    await site.run(rollback(site, { to: "last-good-1" }))
    site.sim.source.fail("not mounted")
    await site.clock.advance(60_000)
    expect(colours(site)).toEqual(["red"])
    await site.restart()
    site.world.edit("w1", { color: "green" })
    await site.look()
    expect(colours(site)).toEqual(["red"])
    site.sim.source.fail("broken", "invalid")
    await site.clock.advance(60_000)
    await site.look()
    expect(colours(site)).toEqual(["red"])
    await site.declare([...bad(5), widget("refused", { size: "large" })])
    expect(colours(site)).toEqual(["red"])
    await site.declare(bad(4), 10_000)
    expect(colours(site)).toContain("blue")
  })

  it("can be asked for while the source can't be read", async () => {
    const site = await open({ flavour })
    await site.declare(good(5))
    await site.declare(bad(5))
    site.sim.source.fail("not mounted")
    await site.restart()
    await site.run(rollback(site, { to: "last-good-1" }))
    await site.clock.advance(5000)
    expect(colours(site)).toEqual(["red"])
    site.sim.source.declare(bad(5), "r2")
    await site.clock.advance(60_000)
    expect(colours(site)).toEqual(["red"])
  })
})

describe("a rollback", () => {
  it("is refused when nothing would change, and names what would", async () => {
    const site = await open()
    await site.declare(good(3))
    await site.declare(bad(3))
    const error = await site.refused(rollback(site))
    expect(error).toContain("what it declares now is the same")
  })

  it("returns to a revision that did not converge before", async () => {
    const site = await open()
    await site.declare(good(3))
    const lift = site.world.faults.add({ how: "refused", on: ["update", "batch"] })
    await site.declare(bad(3))
    await site.run(rollback(site))
    lift()
    await site.clock.advance(120_000)
    expect(colours(site)).toEqual(["red"])
  })

  it.each([bot, cron])("is for people only: $kind", async (who) => {
    const site = await open()
    await site.declare(good(3))
    await site.declare(bad(3))
    expect(await site.refused(rollback(site, { to: "last-good-1" }, who))).toContain("only people")
    const end = site.as(who).call("POST", "/setpoint/v1/rollback/end", { loop: site.loopId })
    expect(await site.refused(end)).toContain("only people")
    expect(colours(site)).toEqual(["blue"])
  })

  it("can be tried: the answer says what would be, and nothing is written", async () => {
    const site = await open()
    await site.declare(good(3))
    await site.declare([...bad(2), ...names(12, "x").map((name) => widget(name))], 5000)
    await site.clock.advance(60_000)
    const revision = site.revision
    const answer = await site.run(rollback(site, { to: "last-good-1", dryRun: true }))
    expect(at(answer, "counts")).toEqual({ added: 1, removed: 12, changed: 2 })
    expect(JSON.stringify(at(answer, "notes"))).toContain("lost data does not")
    expect(JSON.stringify(at(answer, "notes"))).toContain("12 objects")
    expect(site.revision).toBe(revision)
  })

  it("can be ended by a person: the source is used again", async () => {
    const site = await open()
    await site.declare(good(3))
    await site.declare(bad(3))
    await site.run(rollback(site, { to: "last-good-1" }))
    await site.clock.advance(3000)
    await site.run(site.as(ann).call("POST", "/setpoint/v1/rollback/end", { loop: site.loopId }))
    await site.clock.advance(3000)
    expect(colours(site)).toEqual(["blue"])
    const end = site.as(ann).call("POST", "/setpoint/v1/rollback/end", { loop: site.loopId })
    expect(await site.refused(end)).toContain("none stands")
  })
})
