import { describe, expect, it } from "vitest"
import type { SimFaultHow } from "../../src/sim/sim-faults.ts"
import { flavours, names, Site, widget } from "./site.ts"

const all = (count: number) => names(count).map((name) => widget(name))
const reads = ["observe", "list"] as const

describe.each(flavours)("doubtful observations (%s)", (flavour) => {
  const unknowns: SimFaultHow[] = [
    "unauthorized",
    "throttled",
    "serverError",
    "hang",
    "partialList",
  ]

  it.each(unknowns)("%s: neither creates, changes nor deletes anything", async (how) => {
    const site = await Site.open({ flavour })
    await site.declare(all(10))
    const before = site.mutations
    site.world.faults.add({ how, on: flavour === "single" ? ["observe"] : ["list"] })
    await site.declare([...all(9), widget("new")], 60_000)
    await site.look(60_000)
    // Half a list says nothing about what it lacks, and what it has is still true.
    const made = site.world.ledger.slice(before).map((one) => `${one.verb} ${one.identity}`)
    expect(made).toEqual(how === "partialList" && flavour === "single" ? expect.anything() : [])
    site.world.faults.calm()
    await site.clock.advance(15 * 60_000)
    expect(site.there()).toEqual([...names(9), "new"].sort())
  })

  it("a lost scope is not recreated while the list says nothing", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(10))
    for (const name of names(10)) site.world.remove(name)
    site.world.faults.add({ how: "hang", on: reads })
    const before = site.mutations
    await site.look(120_000)
    expect(site.mutations).toBe(before)
  })
})

describe.each(flavours)("reads that lag behind (%s)", (flavour) => {
  it.each(["derived", "searchable"] as const)(
    "never make a second target (%s)",
    async (identityRule) => {
      const site = await Site.open({ flavour, identityRule, world: { staleMs: 5000 } })
      await site.declare(all(5), 60_000)
      await site.look(60_000)
      const made = site.world.ledger.filter((one) => one.verb === "created")
      expect(made).toHaveLength(5)
      expect(site.mutations).toBe(5)
      await site.declare([...all(4), widget("w4", { size: 9 })], 60_000)
      expect(site.mutations).toBe(6)
      await site.declare(all(4), 120_000)
      expect(site.there()).toHaveLength(4)
    },
  )
})

it("a lagging read with client tokens never makes a second target", async () => {
  const site = await Site.open({ identityRule: "clientToken", world: { staleMs: 5000 } })
  await site.declare(all(5), 60_000)
  await site.look(60_000)
  expect(site.world.ledger.filter((one) => one.verb === "created")).toHaveLength(5)
})

describe.each(flavours)("acts whose end is not known (%s)", (flavour) => {
  const call = flavour === "batch" ? (["batch"] as const) : (["create"] as const)
  const rules =
    flavour === "single" ? ["derived", "clientToken", "searchable"] : ["derived", "searchable"]

  describe.each(rules as ("derived" | "clientToken" | "searchable")[])(
    "identity %s",
    (identityRule) => {
      it.each(["lostReply", "hangAfter"] as const)(
        "%s of a create makes exactly one",
        async (how) => {
          const site = await Site.open({ flavour, identityRule })
          site.world.faults.add({ how, on: call, times: 1 })
          await site.declare(all(5), 200_000)
          expect(site.there()).toEqual(names(5))
          const made = site.world.ledger.filter((one) => one.verb === "created")
          expect(made).toHaveLength(5)
          expect(await site.reason("w0")).toBe("Converged")
          await site.declare(all(4), 60_000)
          expect(site.there()).toEqual(names(4))
        },
      )

      it("makes exactly one without marks, too", async () => {
        const site = await Site.open({ flavour, identityRule, marks: false })
        site.world.faults.add({ how: "lostReply", on: call, times: 1 })
        await site.declare(all(3), 200_000)
        expect(site.world.ledger.filter((one) => one.verb === "created")).toHaveLength(3)
        expect(await site.reason("w0")).toBe("Converged")
        await site.declare(all(2), 60_000)
        expect(site.there()).toEqual(names(2))
      })
    },
  )

  it("deletes what a create with a lost reply made, although the object went first", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(3))
    const stop = site.world.faults.add({ how: "lostReply", on: call })
    const blind = site.world.faults.add({
      how: "hang",
      on: reads,
      skip: flavour === "single" ? 1 : 1,
    })
    await site.declare([...all(3), widget("late")], 2000)
    await site.declare(all(3), 2000)
    stop()
    blind()
    await site.clock.advance(300_000)
    expect(site.there()).toEqual(names(3))
    expect((await site.objects()).map((one) => one.metadata.name)).toEqual(names(3))
  })

  it("finds again what was made under the old name, when the name changes meanwhile", async () => {
    const site = await Site.open({ flavour, loop: { limits: { deletesPercent: 100 } } })
    await site.declare(all(2))
    site.world.faults.add({ how: "lostReply", on: call, times: 1 })
    const blind = site.world.faults.add({ how: "serverError", on: reads, skip: 1 })
    const moved = (to: string) => ({ ...widget("x"), spec: { name: to, size: 1, color: "red" } })
    await site.declare([...all(2), moved("old")], 1000)
    await site.declare([...all(2), moved("new")], 1000)
    blind()
    await site.clock.advance(300_000)
    expect(site.there()).toEqual(["new", "w0", "w1"])
  })

  it("lostReply of updates and deletes are looked at and not repeated blindly", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(3))
    const acts = flavour === "batch" ? (["batch"] as const) : (["update", "delete"] as const)
    site.world.faults.add({ how: "lostReply", on: acts, times: 2 })
    await site.declare([widget("w0", { size: 5 }), widget("w1")], 120_000)
    expect(site.there()).toEqual(["w0", "w1"])
    expect(site.mutations).toBe(5)
    await site.verify()
  })

  it("a late effect of an update given up is not lost and not repeated", async () => {
    const site = await Site.open({ flavour, timeoutMs: { observe: 10_000, act: 5000 } })
    await site.declare(all(3))
    const acts = flavour === "batch" ? (["batch"] as const) : (["update"] as const)
    site.world.faults.add({ how: "late", ms: 20_000, on: acts, times: 1 })
    await site.declare([widget("w0", { size: 5 }), ...all(3).slice(1)], 120_000)
    await site.look()
    expect(site.world.find("w0")[0]?.value.size).toBe(5)
    expect(await site.reason("w0")).toBe("Converged")
  })
})

describe("identity none", () => {
  it("says CreateUncertain and never creates blindly", async () => {
    const site = await Site.open({ identityRule: "none" })
    site.world.faults.add({ how: "lostReply", on: ["create"], times: 1 })
    await site.declare(all(2), 120_000)
    await site.look()
    expect(site.there()).toHaveLength(2)
    const reasons = [await site.reason("w0"), await site.reason("w1")].sort()
    expect(reasons).toEqual(["Converged", "CreateUncertain"])
    await site.restart()
    await site.look()
    expect(site.world.ledger).toHaveLength(2)
  })

  it("tries again what was provably refused", async () => {
    const site = await Site.open({ identityRule: "none" })
    site.world.faults.add({ how: "throttled", on: ["create"], times: 3 })
    await site.declare(all(2), 120_000)
    expect(site.there()).toHaveLength(2)
    expect(site.world.ledger).toHaveLength(2)
  })
})

describe.each(flavours)("a system that lies (%s)", (flavour) => {
  it("is Ready only from an observation: an act that did nothing is seen", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(3))
    site.world.faults.add({ how: "lieEmpty", on: reads, times: 2 })
    await site.look(300_000)
    expect(site.there()).toEqual(names(3))
    expect(site.world.ledger.filter((one) => one.verb === "deleted")).toEqual([])
    for (const name of names(3)) expect(site.world.find(name)).toHaveLength(1)
    expect(await site.reason("w0")).toBe("Converged")
  })
})

describe.each(flavours)("a failing connection (%s)", (flavour) => {
  it("opens the breaker: no act goes out, few reads probe, and it comes back", async () => {
    const site = await Site.open({ flavour, connection: () => "far" })
    await site.declare(all(30), 30_000)
    expect(site.there()).toHaveLength(30)
    site.world.faults.add({ how: "serverError" })
    for (const name of names(30)) site.world.edit(name, { color: "blue" })
    await site.look(60_000)
    const { calls } = site.world
    const acted = calls.create + calls.update + calls.delete + calls.batch
    const looked = calls.observe + calls.list
    await site.clock.advance(10 * 60_000)
    const acts = calls.create + calls.update + calls.delete + calls.batch
    expect(acts).toBe(acted)
    expect(calls.observe + calls.list - looked).toBeLessThan(30)
    // A listed scope is one read per look: too few calls to open anything, and the doubt is said.
    const said = flavour === "single" ? '"state":"open"' : "status 503"
    expect(JSON.stringify(await site.status())).toContain(said)
    site.world.faults.calm()
    await site.clock.advance(30 * 60_000)
    const colors = new Set(site.world.targets().map((target) => target.value.color))
    expect([...colors]).toEqual(["red"])
  })
})
