import { describe, expect, it } from "vitest"
import type { JournalEvent } from "../../src/contract/journal.ts"
import { ann, flavours, loops, names, Site, widget, widgets } from "./site.ts"

const all = (count: number) => names(count).map((name) => widget(name))
const eventsOf = async (site: Site, type: JournalEvent["type"]) =>
  (await site.journal()).filter((entry) => entry.event.type === type)
const roomy = { limits: { deletes: 20, deletesPercent: 100 } }

describe.each(flavours)("Observe (%s)", (flavour) => {
  it("only writes down what it would do, once per set", async () => {
    const site = await Site.open({ flavour, loop: { mode: "Observe" } })
    await site.declare(all(5))
    expect(site.mutations).toBe(0)
    expect(site.plans()).toEqual([])
    expect(await site.reason("w0")).toBe("Observe")
    const first = await eventsOf(site, "would")
    expect(first.length).toBeGreaterThan(0)
    for (let pass = 0; pass < 3; pass++) await site.look()
    expect(await eventsOf(site, "would")).toHaveLength(first.length)
    await site.declare(all(6))
    expect(await eventsOf(site, "would")).toHaveLength(first.length + 1)
    await site.look()
    expect(await eventsOf(site, "would")).toHaveLength(first.length + 1)
    expect(await eventsOf(site, "intent")).toEqual([])
    expect(site.mutations).toBe(0)
  })

  it("releases the target of a deleted object and leaves it", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(3))
    const patch = { spec: { mode: "Observe" } }
    const ref = { ...loops, namespace: "default", name: "site" }
    await site.run(site.as(ann).patch(ref, "merge", patch))
    await site.declare([])
    await site.clock.advance(5000)
    expect(await site.objects()).toEqual([])
    expect(site.there()).toHaveLength(3)
    expect(await eventsOf(site, "release")).toHaveLength(3)
  })
})

describe.each(flavours)("Propose (%s)", (flavour) => {
  it("holds everything, creates too, and performs what is approved", async () => {
    const site = await Site.open({ flavour, loop: { mode: "Propose" } })
    await site.declare(all(5))
    expect(site.mutations).toBe(0)
    expect(site.pending().held.map(({ action }) => action.verb)).toEqual(Array(5).fill("create"))
    await site.approve()
    expect(site.there()).toHaveLength(5)
    expect(site.plans("Done")).toHaveLength(1)
    site.world.edit("w0", { color: "blue" })
    await site.look()
    expect(site.world.find("w0")[0]?.value.color).toBe("blue")
    const { held } = site.pending()
    expect(held.map(({ action }) => action.verb)).toEqual(["update"])
    await site.approve()
    expect(site.world.find("w0")[0]?.value.color).toBe("red")
    await site.declare(all(4))
    expect(site.there()).toHaveLength(5)
    await site.approve()
    expect(site.there()).toHaveLength(4)
  })

  it("ends a plan whose approved action someone else made superfluous", async () => {
    const site = await Site.open({ flavour, loop: { mode: "Propose" } })
    await site.declare(all(1))
    await site.approve()
    site.world.edit("w0", { color: "blue" })
    await site.look()
    const plan = site.pending()
    site.world.faults.add({ how: "serverError", on: ["update", "batch"], times: 1 })
    await site.approve(plan, {}, 60)
    site.world.faults.calm()
    site.world.edit("w0", { color: "red" })
    await site.clock.advance(60_000)
    await site.look()
    expect(site.plan(plan.name).phase).toBe("Done")
    expect(site.loop.approvals.size).toBe(0)
  })
})

describe.each(flavours)("drift (%s)", (flavour) => {
  it("is corrected with its cause in the journal", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(3))
    site.world.edit("w1", { color: "blue" })
    await site.look()
    expect(site.world.find("w1")[0]?.value.color).toBe("red")
    const receipts = await eventsOf(site, "receipt")
    expect(receipts.at(-1)?.event).toMatchObject({
      result: "done",
      action: {
        cause: { kind: "drift" },
        changes: [{ path: "color", before: "blue", after: "red" }],
      },
    })
  })

  it("is only reported with onDrift: Report", async () => {
    const site = await Site.open({ flavour, loop: { onDrift: "Report" } })
    await site.declare(all(3))
    site.world.edit("w1", { color: "blue" })
    site.world.remove("w2")
    await site.look()
    await site.look()
    expect(site.world.find("w1")[0]?.value.color).toBe("blue")
    expect(site.there()).toEqual(["w0", "w1"])
    expect(await site.condition("w1", "Drifted")).toMatchObject({ status: "True" })
    expect(site.plans()).toEqual([])
    await site.declare([...all(1), widget("w1", { size: 5 }), widget("w2")])
    expect(site.world.find("w1")[0]?.value).toMatchObject({ color: "blue", size: 5 })
  })

  it("waits for a person with onDrift: Hold", async () => {
    const site = await Site.open({ flavour, loop: { onDrift: "Hold" } })
    await site.declare(all(3))
    site.world.edit("w1", { color: "blue" })
    site.world.remove("w2")
    await site.look()
    expect(site.world.find("w1")[0]?.value.color).toBe("blue")
    expect(site.there()).toEqual(["w0", "w1"])
    expect(site.pending().held).toHaveLength(2)
    await site.approve()
    expect(site.world.find("w1")[0]?.value.color).toBe("red")
    expect(site.there()).toHaveLength(3)
  })

  it("that comes back again and again is held as flapping", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(2))
    for (let turn = 0; turn < 12; turn++) {
      if (site.world.find("w1")[0]?.value.color === "red") site.world.edit("w1", { color: "blue" })
      await site.look()
    }
    const corrected = site.world.ledger.filter(
      (one) => one.verb === "updated" && one.who !== "somebody",
    )
    expect(corrected).toHaveLength(5)
    expect(site.pending().held[0]?.reasons[0]?.code).toBe("Flapping")
    expect(await site.condition("w1", "Held")).toMatchObject({ reason: "Flapping" })
  })

  it("over the change limit is corrected gradually, the rest waits", async () => {
    const site = await Site.open({ flavour, loop: { limits: { changes: 4, window: "10m" } } })
    await site.declare(all(10))
    for (const name of names(10)) site.world.edit(name, { color: "blue" })
    await site.look()
    const red = () => site.world.targets().filter((one) => one.value.color === "red").length
    expect(red()).toBe(4)
    expect(site.plans()).toEqual([])
    await site.clock.advance(9 * 60_000)
    expect(red()).toBe(4)
    await site.clock.advance(2 * 60_000)
    expect(red()).toBe(8)
    await site.clock.advance(11 * 60_000)
    expect(red()).toBe(10)
  })

  it("does not count first creations as changes", async () => {
    const site = await Site.open({ flavour, loop: { limits: { changes: 2 } } })
    await site.declare(all(20))
    expect(site.there()).toHaveLength(20)
  })
})

describe.each(flavours)("conflicts (%s)", (flavour) => {
  async function conflicting(onConflict: string): Promise<Site> {
    const site = await Site.open({ flavour, loop: { onConflict } })
    await site.declare([widget("a", { size: 1, color: "red" })])
    site.world.edit("a", { color: "blue" })
    await site.declare([widget("a", { size: 2, color: "green" })])
    await site.look()
    await site.look()
    return site
  }

  it("hold that field alone; the other fields go on", async () => {
    const site = await conflicting("Hold")
    expect(site.world.find("a")[0]?.value).toMatchObject({ size: 2, color: "blue" })
    const [held] = site.pending().held
    expect(held?.action.changes.map((change) => change.path)).toEqual(["color"])
    expect(held?.reasons[0]?.code).toBe("Conflict")
    await site.restart()
    await site.look()
    expect(site.world.find("a")[0]?.value.color).toBe("blue")
    await site.approve()
    expect(site.world.find("a")[0]?.value.color).toBe("green")
  })

  it("let the declaration win with DeclaredWins", async () => {
    const site = await conflicting("DeclaredWins")
    expect(site.world.find("a")[0]?.value).toMatchObject({ size: 2, color: "green" })
    expect(site.plans()).toEqual([])
  })

  it("leave what was observed with ObservedWins, and never touch the spec", async () => {
    const site = await conflicting("ObservedWins")
    expect(site.world.find("a")[0]?.value).toMatchObject({ size: 2, color: "blue" })
    expect((await site.object("a"))?.spec?.color).toBe("green")
    expect(site.plans()).toEqual([])
  })
})

describe.each(flavours)("adoption (%s)", (flavour) => {
  const foreign = (site: Site, color: string) =>
    site.world.create({ identity: "a", scope: "all", value: { name: "a", size: 1, color } }, "x")

  it("matches what is equal without owning it", async () => {
    const site = await Site.open({ flavour })
    foreign(site, "red")
    await site.declare([widget("a"), widget("b")])
    expect(await site.reason("a")).toBe("Matched")
    expect(site.world.ledger.filter((one) => one.identity === "a")).toHaveLength(1)
    await site.declare([widget("b")])
    expect(site.there()).toEqual(["a", "b"])
  })

  it("holds what differs as Adopt and takes it when approved", async () => {
    const site = await Site.open({ flavour })
    foreign(site, "blue")
    await site.declare([widget("a"), widget("b")])
    expect(site.world.find("a")[0]?.value.color).toBe("blue")
    expect(site.pending().held[0]?.action.verb).toBe("adopt")
    expect(site.pending().held[0]?.action.changes[0]).toMatchObject({
      before: "blue",
      why: "adopt",
    })
    await site.approve()
    expect(site.world.find("a")[0]?.value.color).toBe("red")
    expect(await site.reason("a")).toBe("Converged")
    expect(site.plans("Done")).toHaveLength(1)
  })

  it("deletes what was adopted, and only that", async () => {
    const site = await Site.open({ flavour })
    foreign(site, "blue")
    await site.declare([widget("a"), widget("b")])
    await site.approve()
    await site.declare([widget("b")])
    expect(site.there()).toEqual(["b"])
  })
})

describe.each(flavours)("one target, two claimants (%s)", (flavour) => {
  it("makes it once and says TargetConflict, although both came at once", async () => {
    const site = await Site.open({ flavour, identityRule: "searchable", marks: false })
    const two = { ...widget("second"), spec: { name: "same", size: 2, color: "blue" } }
    await site.declare([{ ...widget("first"), spec: { name: "same", size: 1, color: "red" } }, two])
    await site.look()
    expect(site.world.find("same")).toHaveLength(1)
    const made = site.world.ledger.filter((one) => one.verb === "created")
    expect(made).toHaveLength(1)
    const reasons = [await site.reason("first"), await site.reason("second")].sort()
    expect(reasons).toEqual(["Converged", "TargetConflict"])
    expect(site.mutations).toBe(1)
    await site.restart()
    await site.look()
    expect(site.mutations).toBe(1)
  })
})

describe.each(flavours)("identity and replacement (%s)", (flavour) => {
  const renamed = (name: string, to: string) => ({
    ...widget(name),
    spec: { name: to, size: 1, color: "red" },
  })

  it("moves one target when its identity changes", async () => {
    const site = await Site.open({ flavour, loop: roomy })
    await site.declare(all(5))
    await site.declare([...all(4), renamed("w4", "moved")], 10_000)
    expect(site.there()).toEqual(["moved", "w0", "w1", "w2", "w3"])
  })

  it("holds when many identities change: each destroys a target", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(20))
    await site.declare(
      names(20).map((name) => renamed(name, `${name}-x`)),
      10_000,
    )
    expect(site.there()).toEqual(names(20).sort())
    expect(site.pending().held).toHaveLength(20)
  })

  it("holds when they change one by one, too", async () => {
    const site = await Site.open({ flavour })
    await site.declare(all(20))
    const list = all(20)
    for (let index = 0; index < 10; index++) {
      list[index] = renamed(`w${index}`, `moved${index}`)
      await site.declare(list, 5000)
    }
    expect(site.there().filter((name) => name.startsWith("moved"))).toHaveLength(2)
  })

  it("replaces in place what can't be changed, once", async () => {
    const site = await Site.open({ flavour, replaceOn: ["size"], loop: roomy })
    await site.declare(all(3))
    await site.declare([...all(2), widget("w2", { size: 7 })], 10_000)
    expect(site.world.find("w2")).toHaveLength(1)
    expect(site.world.find("w2")[0]?.value.size).toBe(7)
    const about = site.world.ledger.filter((one) => one.identity === "w2").map((one) => one.verb)
    expect(about).toEqual(["created", "deleted", "created"])
    await site.look()
    expect(site.world.ledger.filter((one) => one.identity === "w2")).toHaveLength(3)
  })
})

it("uses the API's own list to find what a person sees", async () => {
  const site = await Site.open()
  await site.declare(all(2))
  const list = await site.run(site.as(ann).list(widgets, { namespace: "default" }))
  expect(list.items).toHaveLength(2)
})
