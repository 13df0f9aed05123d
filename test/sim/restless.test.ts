// Targets that live: they say themselves when they are not there yet, what others may know of them,
// and end again and again.

import { describe, expect, it } from "vitest"
import type { Waiting } from "../../src/contract/observation.ts"
import type { KindProvider } from "../../src/contract/provider.ts"
import { siteWith } from "../corpus/site-with.ts"
import { type Site, type SiteOptions, widget } from "./site.ts"

const open = (more: Partial<KindProvider>, options: SiteOptions = {}): Promise<Site> =>
  siteWith({ kind: (kind) => ({ ...kind, ...more }) }, options)

async function openWaiting(say: () => Waiting | undefined): Promise<Site> {
  const kind = (one: KindProvider): KindProvider => ({
    ...one,
    observe: async (target, context) => {
      const seen = (await one.observe?.(target, context)) ?? { kind: "absent", proof: "none" }
      const waiting = say()
      if (seen.kind !== "present") return seen
      const outputs = { state: waiting === undefined ? "serving" : "starting" }
      return { ...seen, outputs, ...(waiting === undefined ? {} : { waiting }) }
    },
  })
  return siteWith({ kind })
}

describe("a target that is as declared and not there yet", () => {
  it("is not Ready, is left alone, and is looked at again when it says so", async () => {
    let waiting: Waiting | undefined = {
      reason: "Warming",
      message: "it warms up",
      afterMs: 60_000,
    }
    const site = await openWaiting(() => waiting)
    await site.declare([widget("a")])
    const ready = await site.condition("a", "Ready")
    expect(ready).toMatchObject({ status: "False", reason: "Warming", message: "it warms up" })
    expect((await site.object("a"))?.status?.outputs).toEqual({ state: "starting" })
    const revision = site.sim.plane.ports.store.revision
    await site.clock.advance(30_000)
    expect(site.sim.plane.ports.store.revision).toBe(revision)
    expect(site.world.ledger.map(({ verb }) => verb)).toEqual(["created"])
    waiting = undefined
    await site.clock.advance(40_000)
    expect(await site.condition("a", "Ready")).toMatchObject({ status: "True" })
    expect((await site.object("a"))?.status?.outputs).toEqual({ state: "serving" })
  })
})

describe("a field that drifts by nature", () => {
  const drift = async (site: Site) => {
    await site.declare([widget("a")])
    for (let round = 0; round < 9; round++) {
      site.world.edit("a", { size: 50 + round })
      await site.look()
    }
    return site.plans("Pending").length
  }

  it("is corrected as often as it drifts", async () => {
    const site = await open({ restless: ["size"] })
    expect(await drift(site)).toBe(0)
    expect(site.world.find("a")[0]?.value.size).toBe(1)
  })

  it("twin: without the mark the corrections are held as flapping", async () => {
    expect(await drift(await open({}))).toBe(1)
  })
})

describe("a target without a name of its own", () => {
  const identity: KindProvider["identity"] = ({ name }) => String(name)
  const nameless = () => {
    const { name: _, ...spec } = widget("a").spec ?? {}
    return { ...widget("a"), spec }
  }

  it("goes by the object's UID, so that a later object of that name gets another", async () => {
    const site = await open({ uidField: "name", identity })
    await site.declare([nameless(), widget("b")])
    const first = String((await site.object("a"))?.metadata.uid)
    expect(site.there().sort()).toEqual([first, "b"].sort())
    await site.declare([widget("b")])
    await site.declare([nameless(), widget("b")])
    const second = String((await site.object("a"))?.metadata.uid)
    expect(second).not.toBe(first)
    expect(site.there()).toContain(second)
    expect(site.there()).not.toContain(first)
  })
})
