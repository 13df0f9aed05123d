import { describe, expect, it } from "vitest"
import { at, type Json, type JsonObject } from "../../src/base/json.ts"
import type { Principal } from "../../src/contract/principal.ts"
import { ledgerKeys } from "../../src/ledger/keys.ts"
import { scanPrefix } from "../../src/ledger/scan.ts"
import { ann, bot, cron, names, Site, type SiteOptions, widget, widgets } from "./site.ts"

const all = (count: number, spec: JsonObject = {}) => names(count).map((one) => widget(one, spec))
const base = "/setpoint/v1/checkpoints"

function open(options: SiteOptions = {}): Promise<Site> {
  return Site.open({ ...options, loop: { limits: { changes: 1000 }, ...options.loop } })
}

async function list(site: Site): Promise<string[]> {
  const answer = await site.run(site.as(ann).call("GET", `${base}?loop=${site.loopId}`))
  const found = at(answer, "checkpoints")
  if (!Array.isArray(found)) return []
  return found.map((one) => `${at(one, "name")} ${at(one, "count")} ${at(one, "revision")}`)
}

const create = (site: Site, name: string, who: Principal = ann) =>
  site.as(who).call("POST", base, { loop: site.loopId, name, reason: "for a test" })

const diff = (site: Site, from: string, to = "now"): Promise<Json> =>
  site.run(site.as(ann).call("GET", `${base}/${site.loopId}/${from}/diff?to=${to}`))

const remove = (site: Site, name: string, who: Principal = ann) =>
  site.as(who).call("POST", `${base}/${site.loopId}/${name}/delete`, {})

async function blobs(site: Site): Promise<number> {
  let count = 0
  const read = async () => {
    const { store } = site.sim.plane.ports
    for await (const _ of scanPrefix(store, ledgerKeys.blob(site.loopId, ""))) count++
  }
  await site.run(read())
  return count
}

describe("the last good state", () => {
  it("is kept when a revision has converged, with the one before it", async () => {
    const site = await open()
    await site.declare(all(3))
    expect(await list(site)).toEqual(["last-good 3 r1"])
    await site.declare(all(4))
    expect(await list(site)).toEqual(["last-good-1 3 r1", "last-good 4 r2"])
    await site.declare(all(5))
    expect(await list(site)).toEqual(["last-good-1 4 r2", "last-good 5 r3"])
    expect(await blobs(site)).toBe(5)
  })

  it("is written once and never by passes that find nothing to do", async () => {
    const site = await open()
    await site.declare(all(30))
    await site.look()
    const revision = site.revision
    for (let look = 0; look < 5; look++) await site.look()
    await site.clock.advance(3_600_000)
    expect(site.revision).toBe(revision)
    await site.restart()
    await site.clock.advance(60_000)
    const restarted = site.revision
    await site.clock.advance(3_600_000)
    expect(site.revision).toBe(restarted)
    expect(await list(site)).toEqual(["last-good 30 r1"])
  })

  it("costs what changed, not what is there", async () => {
    const site = await open()
    await site.declare(all(600), 20_000)
    const { store } = site.sim.plane.ports
    const puts: string[] = []
    const stop = new AbortController()
    const watching = (async () => {
      const from = { prefix: "/ledger/", after: store.revision, signal: stop.signal }
      for await (const event of store.watch(from)) {
        if (event.kind === "changes") puts.push(...event.changes.map(({ key }) => key))
      }
    })()
    await site.declare([...all(599), widget("w599", { color: "blue" })], 20_000)
    stop.abort()
    await watching
    expect(puts.filter((key) => key.startsWith("/ledger/blobs/"))).toHaveLength(1)
    expect(puts.filter((key) => key.startsWith("/ledger/checkpoint-pages/"))).toHaveLength(1)
    expect(puts.filter((key) => key.startsWith("/ledger/checkpoints/"))).toHaveLength(2)
  })

  it("is not kept while something is held, failing, or not as declared", async () => {
    const site = await open()
    await site.declare(all(20))
    await site.declare(all(5))
    expect(site.pending().held).toHaveLength(15)
    await site.clock.advance(120_000)
    expect(await list(site)).toEqual(["last-good 20 r1"])
    await site.approve()
    await site.clock.advance(60_000)
    expect(await list(site)).toEqual(["last-good-1 20 r1", "last-good 5 r2"])
    const lift = site.world.faults.add({ how: "refused", on: ["update"] })
    await site.declare(all(5, { color: "blue" }), 60_000)
    expect(await list(site)).toEqual(["last-good-1 20 r1", "last-good 5 r2"])
    lift()
    await site.clock.advance(20 * 60_000)
    expect((await list(site)).at(-1)).toBe("last-good 5 r3")
  })

  it("takes another revision of the same content without forgetting the state before", async () => {
    const site = await open()
    await site.declare(all(3))
    await site.declare(all(4))
    await site.declare(all(4))
    expect(await list(site)).toEqual(["last-good-1 3 r1", "last-good 4 r3"])
  })

  it("is kept for objects that come by API", async () => {
    const site = await open({ source: false })
    await site.create(widget("a"))
    await site.create(widget("b"))
    await site.clock.advance(5000)
    expect(await list(site)).toEqual(["last-good 2 undefined"])
    await site.look()
    const revision = site.revision
    for (let look = 0; look < 3; look++) await site.look()
    expect(site.revision).toBe(revision)
    const ref = { ...widgets, namespace: "default", name: "a" }
    await site.run(site.as(ann).patch(ref, "merge", { spec: { color: "blue" } }))
    await site.clock.advance(5000)
    expect(at(await diff(site, "last-good-1"), "differences")).toMatchObject([
      { name: "a", change: "changed", fields: [{ path: "spec.color", after: "blue" }] },
    ])
  })
})

describe("named checkpoints", () => {
  it("pin what is declared now and stay when the loop moves on", async () => {
    const site = await open()
    await site.declare(all(3))
    await site.run(create(site, "before"))
    await site.declare(all(4, { color: "blue" }))
    await site.declare(all(5, { color: "green" }))
    expect(await list(site)).toContain("before 3 r1")
    const found = await diff(site, "before")
    expect(at(found, "counts")).toEqual({ added: 2, removed: 0, changed: 3 })
    expect(at(await diff(site, "before", "last-good-1"), "counts")).toMatchObject({ added: 1 })
    expect(at(await diff(site, "last-good", "before"), "counts")).toMatchObject({ removed: 2 })
    expect(at(await diff(site, "before", "before"), "differences")).toEqual([])
    await site.restart()
    expect(at(await diff(site, "before"), "counts")).toEqual(at(found, "counts"))
    const kept = await blobs(site)
    await site.run(remove(site, "before"))
    expect(await blobs(site)).toBe(kept - 3)
    const events = (await site.journal()).flatMap(({ event, principal }) =>
      event.type === "checkpoint" ? [`${event.change} ${event.name} ${principal}`] : [],
    )
    expect(events).toEqual(["created before ann", "deleted before ann"])
  })

  it("are returned to", async () => {
    const site = await open()
    await site.declare(all(3))
    await site.run(create(site, "known.good-1"))
    await site.declare(all(3, { color: "blue" }))
    await site.declare(all(3, { color: "green" }))
    const body = { loop: site.loopId, to: "known.good-1" }
    await site.run(site.as(ann).call("POST", "/setpoint/v1/rollback", body))
    await site.run(remove(site, "known.good-1"))
    await site.restart()
    await site.look()
    expect(site.world.targets().map(({ value }) => value.color)).toEqual(["red", "red", "red"])
  })

  it.each(["last-good", "rollback", "now", "", "a/b", "A", "-a", "x".repeat(80)])(
    "can't be called %j",
    async (name) => {
      const site = await open()
      await site.declare(all(1))
      expect(await site.refused(create(site, name))).toMatch(/cannot create checkpoint/)
    },
  )

  it("are refused for what is not there, twice, or in a loop that does not exist", async () => {
    const site = await open()
    await site.declare(all(1))
    await site.run(create(site, "one"))
    expect(await site.refused(create(site, "one"))).toContain("there is one of that name")
    const lost = site.as(ann).call("POST", base, { loop: "default.none", name: "x" })
    expect(await site.refused(lost)).toContain("cannot find loop default.none")
    expect(await site.refused(remove(site, "two"))).toContain("cannot find checkpoint two")
    const body = { loop: site.loopId, to: "two" }
    const back = site.as(ann).call("POST", "/setpoint/v1/rollback", body)
    expect(await site.refused(back)).toContain("cannot find checkpoint two")
  })

  it.each([bot, cron])("are deleted by people only: $kind", async (who) => {
    const site = await open()
    await site.declare(all(1))
    await site.run(create(site, "one", who))
    expect(await site.refused(remove(site, "one", who))).toContain("is no person")
    expect(await list(site)).toContain("one 1 r1")
  })

  it("can be made while the source can't be read, of what was read before", async () => {
    const site = await open()
    await site.declare(all(2))
    site.sim.source.fail("not mounted")
    await site.clock.advance(10_000)
    await site.run(create(site, "one"))
    expect(await list(site)).toContain("one 2 r1")
    await site.restart()
    expect(await site.refused(create(site, "two"))).toContain("was not read since the start")
  })
})

describe("a rollback without a source", () => {
  async function edited(deletesPercent: number): Promise<Site> {
    const limits = { changes: 1000, deletesPercent }
    const site = await open({ source: false, loop: { limits } })
    for (const name of ["a", "b", "c"]) await site.create(widget(name))
    await site.clock.advance(5000)
    await site.run(create(site, "before"))
    const ref = { ...widgets, namespace: "default", name: "a" }
    await site.run(site.as(ann).patch(ref, "merge", { spec: { color: "blue", tags: ["x"] } }))
    await site.run(site.delete("b"))
    await site.create(widget("new"))
    await site.clock.advance(10_000)
    return site
  }

  it("writes the pinned specs as the person who asked, and deletes what came after", async () => {
    const site = await edited(100)
    const body = { loop: site.loopId, to: "before", reason: "by hand" }
    const answer = await site.run(site.as(ann).call("POST", "/setpoint/v1/rollback", body))
    await site.clock.advance(10_000)
    expect(site.there()).toEqual(["a", "b", "c"])
    const a = site.world.find("a")[0]?.value
    expect([a?.color, a?.tags ?? []]).toEqual(["red", []])
    expect(JSON.stringify(at(answer, "notes"))).toContain("lost data does not")
    const causes = (await site.journal()).flatMap(({ event }) =>
      event.type === "receipt" && event.action.cause.kind === "rollback"
        ? [`${event.action.verb} ${event.action.object.split("/").at(-1)}`]
        : [],
    )
    expect(causes.sort()).toEqual(["create b", "delete new", "update a"])
    expect(at(await diff(site, "before"), "differences")).toEqual([])
  })

  it("holds deletes over the limit as a plan and says so", async () => {
    const site = await edited(10)
    for (const name of names(12, "x")) await site.create(widget(name))
    await site.clock.advance(10_000)
    const body = { loop: site.loopId, to: "before" }
    const answer = await site.run(site.as(ann).call("POST", "/setpoint/v1/rollback", body))
    await site.clock.advance(5000)
    expect(at(answer, "plan")).toBeTypeOf("string")
    expect(JSON.stringify(at(answer, "notes"))).toContain("13 objects")
    // The removed tag destroys as well, so that it waits with the deletes.
    expect(site.pending().held).toHaveLength(14)
    expect(site.there()).toHaveLength(16)
    await site.approve()
    expect(site.there()).toEqual(["a", "b", "c"])
  })
})
