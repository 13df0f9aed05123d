import { describe, expect, it } from "vitest"
import { at, isArray, type JsonObject } from "../../src/base/json.ts"
import { ann, names, Site, widget } from "./site.ts"

const many = (count: number) => names(count).map((name) => widget(name))

const call = (site: Site, spec: JsonObject) =>
  site.as(ann).call("POST", "/setpoint/v1/guards/test", { loop: "default.site", spec })

const ask = (site: Site, spec: JsonObject) => site.run(call(site, spec))

/** 40 objects of which two, then one more, are taken away; then one changes. */
async function history(): Promise<Site> {
  const site = await Site.open()
  await site.declare(many(40))
  await site.declare(many(38), 6000)
  await site.declare(many(37), 6000)
  await site.declare([widget("w0", { color: "blue" }), ...many(37).slice(1)], 6000)
  expect(site.there().length).toBe(37)
  return site
}

describe("guards against history", () => {
  it("say that the limits of then change nothing", async () => {
    const site = await history()
    const answer = await ask(site, { limits: { deletes: 5 } })
    expect(at(answer, "rounds")).toBeGreaterThanOrEqual(3)
    expect([at(answer, "changed"), at(answer, "heldMore")]).toEqual([0, 0])
  })

  it("name the rounds that tighter limits would have held, by their window", async () => {
    const site = await history()
    const one = await ask(site, { limits: { deletes: 1 } })
    expect(at(one, "heldMore")).toBe(2) // Two at once; the one after it would have fitted.
    const two = await ask(site, { limits: { deletes: 2 } })
    expect(at(two, "heldMore")).toBe(1) // Two fit; then the window is used up.
    const short = await ask(site, { limits: { deletes: 2, window: "2s" } })
    expect(at(short, "heldMore")).toBe(0)
    const shown = at(two, "shown")
    const [round] = isArray(shown) ? shown : []
    expect(at(round ?? null, "differences")).toMatchObject([
      { verb: "delete", was: "allow", wouldBe: "hold" },
    ])
  })

  it("say what looser limits would have let through", async () => {
    const site = await Site.open()
    await site.declare(many(20))
    await site.declare(many(12), 6000)
    expect(site.there().length).toBe(20)
    const answer = await ask(site, { limits: { deletes: 10, deletesPercent: 50 } })
    expect(at(answer, "allowedMore")).toBe(8)
  })

  it("judge changes, modes and windows as well", async () => {
    const site = await history()
    expect(at(await ask(site, { limits: { changes: 0 } }), "heldMore")).toBe(1)
    expect(at(await ask(site, { mode: "Propose" }), "heldMore")).toBeGreaterThanOrEqual(4)
    const closed = { windows: [{ schedule: "0 0 1 1 *", duration: "1s" }] }
    expect(at(await ask(site, closed), "heldMore")).toBeGreaterThanOrEqual(1)
  })

  it("refuse what no loop has", async () => {
    const site = await Site.open()
    expect(await site.refused(call(site, { limits: { deletions: 1 } }))).toContain(
      "limits.deletions",
    )
    expect(await site.refused(call(site, { onEmpty: "Perhaps" }))).toContain("onEmpty")
    for (const part of [
      { limits: 1 },
      { limits: { window: "soon" } },
      { limits: { window: "0s" } },
    ]) {
      expect(await site.refused(call(site, part))).toContain("cannot test with limits")
    }
    expect(await site.refused(call(site, { windows: "never" }))).toContain("windows")
    const missing = site.as(ann).call("GET", "/setpoint/v1/history?loop=default.nosuch")
    expect(await site.refused(missing)).toContain("cannot read the journal of default.nosuch")
    expect(await site.refused(call(site, { sourceMaxAge: 5 }))).toContain("sourceMaxAge")
    expect(await site.refused(call(site, { limits: { deletes: "many" } }))).toContain(
      "limits.deletes",
    )
  })

  it("change nothing", async () => {
    const site = await history()
    const before = site.revision
    await ask(site, { limits: { deletes: 0 } })
    expect(site.revision).toBe(before)
  })
})
