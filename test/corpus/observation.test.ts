// Faults of what is observed, each with its twin.

import { describe, expect } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import type { KindProvider } from "../../src/contract/provider.ts"
import { names, Site, widget } from "../sim/site.ts"
import { prove } from "./prove.ts"
import { siteWith, wake } from "./site-with.ts"
import { wide } from "./wide.ts"

const all = (count: number) => names(count).map((name) => widget(name))
const made = (site: Site) => site.world.ledger.filter(({ verb }) => verb === "created")
const reads = ["observe", "list"] as const

describe("observation", () => {
  prove("O01", "unknown-is-not-absent", async (must) => {
    const site = await Site.open({ identityRule: "searchable", loop: wide })
    await site.declare(all(5))
    await site.clock.advance(60_000)
    site.world.faults.add({ how: "unauthorized", on: reads })
    await site.look(60 * 60_000)
    await must(() => expect(made(site)).toHaveLength(5))
    site.world.faults.calm()
    await site.look(60_000)
    await must(async () => expect(await site.reason("w0")).toBe("Converged"))
  })

  prove("O01", "vanished-targets", async (must) => {
    const site = await Site.open({ flavour: "list", identityRule: "searchable" })
    await site.declare(all(10))
    await site.clock.advance(60_000)
    // Another account: the list is complete, and there is nothing in it.
    const calm = site.world.faults.add({ how: "lieEmpty", on: reads })
    await site.look(10 * 60_000)
    await must(() => expect(made(site)).toHaveLength(10))
    calm()
    await site.look(60_000)
    await must(() => expect(site.plans("Pending")).toEqual([]))
  })

  prove("O02", "early-absence-is-doubt", async (must) => {
    const site = await Site.open({
      identityRule: "searchable",
      loop: wide,
      world: { staleMs: 5000 },
    })
    await site.declare(all(5), 120_000)
    await site.look(60_000)
    await must(() => expect(made(site)).toHaveLength(5))
  })

  prove("O03", "partial-list-is-doubt", async (must) => {
    const site = await Site.open({ flavour: "list", identityRule: "searchable", loop: wide })
    await site.declare(all(10))
    await site.clock.advance(60_000)
    const calm = site.world.faults.add({ how: "partialList", on: reads })
    site.world.edit("w0", { color: "blue" })
    for (const name of names(10)) wake(site, name)
    await site.look(60_000)
    calm()
    await must(() => expect(made(site)).toHaveLength(10))
    await must(() => expect(site.world.find("w0")[0]?.value.color).toBe("red"))
  })

  prove("O04", "read-after-own-write", async (must) => {
    const site = await Site.open({ flavour: "list" })
    await site.declare(all(2))
    site.world.faults.add({ how: "slow", ms: 200, on: ["update"], identity: "w0", times: 1 })
    site.world.edit("w0", { color: "blue" })
    wake(site, "w0")
    await site.clock.advance(120)
    // The other one keeps the next round open: its list was read before the act ended.
    site.world.edit("w1", { color: "blue" })
    for (let turn = 0; turn < 12; turn++) {
      wake(site, "w1")
      await site.clock.advance(20)
    }
    await site.clock.advance(60_000)
    const asked = site.world.calls.update
    await must(() => expect(asked).toBe(2))
  })

  prove("O05", "compare-normal-forms", async (must) => {
    const lower = (value: JsonObject): JsonObject => ({
      ...value,
      color: String(value.color).toLowerCase(),
    })
    const kind = (one: KindProvider) => ({ ...one, normalize: lower })
    const site = await siteWith({ kind }, { world: { decorate: lower } })
    await site.declare([widget("a", { color: "RED" })])
    const before = site.mutations
    await site.look(20 * 60_000)
    await must(() => expect(site.mutations).toBe(before))
    await must(async () => expect(await site.reason("a")).toBe("Converged"))
  })

  prove("O07", "one-owner-per-target", async (must) => {
    const site = await Site.open()
    const same = (name: string, color: string) => widget(name, { name: "same", color })
    await site.declare([same("first", "red"), widget("b")])
    await site.declare([same("first", "red"), same("second", "blue"), widget("b")], 60_000)
    await site.look(60_000)
    await must(() => expect(site.world.find("same")[0]?.value.color).toBe("red"))
    await must(async () => expect(await site.reason("second")).toBe("TargetConflict"))
  })

  prove("O08", "breaker-opens", async (must) => {
    const site = await Site.open({ connection: () => "far" })
    await site.declare(all(20), 30_000)
    expect(site.there()).toHaveLength(20)
    const calm = site.world.faults.add({ how: "throttled" })
    for (const name of names(20)) wake(site, name)
    await site.clock.advance(60_000)
    const looked = site.world.calls.observe
    await site.clock.advance(60 * 60_000)
    await must(() => expect(site.world.calls.observe - looked).toBeLessThan(40))
    calm()
    site.world.edit("w3", { color: "blue" })
    await site.clock.advance(30 * 60_000)
    await must(() => expect(site.world.find("w3")[0]?.value.color).toBe("red"))
  })

  prove("O09", "reads-have-deadlines", async (must) => {
    const site = await Site.open()
    await site.declare(all(20))
    for (const identity of names(20)) {
      site.world.faults.add({ how: "hang", on: ["observe"], identity })
    }
    for (const name of names(20)) wake(site, name)
    await site.clock.advance(60_000)
    await site.declare([...all(20), widget("new")], 10 * 60_000)
    await must(() => expect(site.there()).toContain("new"))
  })

  prove("O10", "ready-only-from-observation", async (must) => {
    const site = await Site.open()
    site.world.faults.add({ how: "lieDone", on: ["create"], times: 1 })
    const said: string[] = []
    site.sim.source.declare([widget("a")])
    for (let turn = 0; turn < 200; turn++) {
      await site.clock.advance(10)
      const there = site.there().includes("a")
      if ((await site.reason("a")) === "Converged" && !there) said.push("ready without a target")
    }
    await must(() => expect(said).toEqual([]))
    await must(() => expect(site.there()).toEqual(["a"]))
  })

  prove("O11", "drift-holds", async (must) => {
    const site = await Site.open({ loop: { onDrift: "Hold" } })
    await site.declare(all(3))
    site.world.edit("w1", { color: "blue" }, "a person in a hurry")
    await site.look(20 * 60_000)
    await must(() => expect(site.world.find("w1")[0]?.value.color).toBe("blue"))
    expect(site.pending().held[0]?.reasons[0]?.code).toBe("Drift")
    await site.approve()
    expect(site.world.find("w1")[0]?.value.color).toBe("red")
  })
})
