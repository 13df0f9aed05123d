import { describe, expect, it } from "vitest"
import {
  calm,
  colors,
  invariants,
  keep,
  object,
  observeSignal,
  signals,
  statusOf,
} from "./invariant-site.ts"
import { ann, bot, Site } from "./site.ts"

describe("a signal", () => {
  it("needs so many readings in a row to change its state, both ways", async () => {
    const site = await Site.open()
    const { numbers } = site.sim.probes
    numbers.set("/sim/number", 10)
    const spec = { interval: "10s", breach: { above: 100 }, clear: { above: 50 }, for: 3 }
    await observeSignal(site, "load", spec)
    expect(await statusOf(site, "load", signals)).toMatchObject({ state: "Ok", value: 10 })
    numbers.set("/sim/number", 200)
    await site.clock.advance(20_000)
    expect(await statusOf(site, "load", signals)).toMatchObject({ state: "Ok" })
    await site.clock.advance(10_000)
    expect(await statusOf(site, "load", signals)).toMatchObject({ state: "Breached", value: 200 })
    numbers.set("/sim/number", 60)
    await site.clock.advance(60_000)
    expect(await statusOf(site, "load", signals)).toMatchObject({ state: "Breached", value: 60 })
    numbers.set("/sim/number", 40)
    await site.clock.advance(40_000)
    expect(await statusOf(site, "load", signals)).toMatchObject({ state: "Ok", value: 40 })
  })

  it("keeps its state over a restart", async () => {
    const site = await Site.open()
    site.sim.probes.numbers.set("/sim/number", 200)
    await observeSignal(site, "load", { breach: { above: 100 }, for: 1 })
    expect(await statusOf(site, "load", signals)).toMatchObject({ state: "Breached" })
    site.sim.probes.numbers.delete("/sim/number")
    await site.restart()
    expect(await statusOf(site, "load", signals)).toMatchObject({ state: "Breached" })
  })

  it("grows stale when it can't be read, and blocks destruction then", async () => {
    const site = await Site.open({ loop: calm })
    const { numbers } = site.sim.probes
    numbers.set("/sim/number", 10)
    await observeSignal(site, "load", { interval: "10s", staleAfter: "30s", timeout: "2s" })
    await site.declare(colors(["a", "red"], ["b", "red"], ["c", "red"]))
    const expression = "signals['load'].value < 100.0"
    await keep(site, "calm", { expression, kinds: [], signals: ["load"] })
    await site.declare(colors(["a", "red"], ["b", "red"]))
    expect(site.there()).toEqual(["a", "b"])
    numbers.set("/sim/number", "hang")
    await site.clock.advance(60_000)
    expect(await statusOf(site, "load", signals)).toMatchObject({ stale: true, value: 10 })
    expect(await statusOf(site, "calm")).toMatchObject({ state: "Unknown" })
    await site.declare(colors(["a", "blue"]))
    expect(site.there()).toEqual(["a", "b"])
    expect(site.world.find("a")[0]?.value).toMatchObject({ color: "blue" })
    numbers.set("/sim/number", 10)
    await site.clock.advance(30_000)
    await site.look()
    expect(site.there()).toEqual(["a"])
  })

  it("breaks an invariant that speaks of it", async () => {
    const site = await Site.open({ loop: calm })
    site.sim.probes.numbers.set("/sim/number", 10)
    await observeSignal(site, "load", { interval: "10s", breach: { above: 100 } })
    const expression = "signals['load'].state == 'Ok'"
    await keep(site, "calm", { expression, kinds: [], signals: ["load"], onBroken: "StopDeletes" })
    expect(await statusOf(site, "calm")).toMatchObject({ state: "Holding" })
    site.sim.probes.numbers.set("/sim/number", 500)
    await site.clock.advance(30_000)
    expect(await statusOf(site, "calm")).toMatchObject({ state: "Broken" })
    expect(site.sim.stop.entries()).toMatchObject([{ scope: "deletes" }])
  })
})

describe("bad input", () => {
  it.each([
    [{ expression: "objects.exists(o, " }, "line 1, column 19"],
    [{ expression: "1 + 1" }, "a bool is needed"],
    [{ expression: "true", onBroken: "Explode" }, "onBroken"],
  ])("is refused with its place: %j", async (spec, message) => {
    const site = await Site.open()
    const made = object("Invariant", "bad", { loop: "site", ...spec })
    expect(await site.refused(site.as(ann).create(invariants, made))).toContain(message)
  })

  it.each([
    [{}, "exactly one of"],
    [{ http: { url: "file:///etc/passwd" } }, "http or https"],
    [{ command: { argv: ["ls"] } }, "absolute"],
    [{ log: { path: "/var/log/x", pattern: "(" } }, "RE2"],
    [{ command: { argv: ["/bin/true"] }, interval: "1ms" }, "from 1s to 24h"],
  ])("of a signal is refused: %j", async (spec, message) => {
    const site = await Site.open()
    const made = object("Signal", "bad", spec)
    expect(await site.refused(site.as(ann).create(signals, made))).toContain(message)
  })

  it("of an agent: it may propose an invariant, and may not change or remove one", async () => {
    const site = await Site.open()
    const made = object("Invariant", "rule", { loop: "site", expression: "true" })
    await site.run(site.as(bot).create(invariants, made))
    const ref = { ...invariants, namespace: "default", name: "rule" }
    expect(await site.refused(site.as(bot).delete(ref))).toContain("agent")
    const patch = site.as(bot).patch(ref, "merge", { spec: { expression: "false" } })
    expect(await site.refused(patch)).toContain("agent")
  })
})
