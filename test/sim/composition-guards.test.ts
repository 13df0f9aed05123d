import { afterEach, describe, expect, it } from "vitest"
import type { Json } from "../../src/base/json.ts"
import { disarm, type Protection } from "../../src/base/protections.ts"
import type { ApiObject, Condition } from "../../src/object/object.ts"
import { shelf, shelfKind, shelves } from "./shelf.ts"
import { ann, bot, Site, type SiteOptions, widget, widgets } from "./site.ts"

let armAgain: (() => void) | undefined
afterEach(() => {
  armAgain?.()
  armAgain = undefined
})
const without = (name: Protection) => {
  armAgain = disarm(name)
}

const open = (options: SiteOptions = {}) =>
  Site.open({ composites: [shelfKind()], fungible: true, ...options })

const at = { ...shelves, namespace: "default", name: "books" }

async function conditions(site: Site): Promise<readonly Condition[]> {
  const object = await site.run(site.as(ann).get(at))
  const all = object?.status?.conditions
  return Array.isArray(all) ? (all as unknown[] as Condition[]) : []
}

async function ready(site: Site): Promise<Condition | undefined> {
  return (await conditions(site)).find(({ type }) => type === "Ready")
}

const budget = { limits: { deletes: 5, deletesPercent: 10, changes: 50, window: "10m" } }

describe("what a composite does not want any more", () => {
  it("is replaced as a change, however small the budget of deletes is", async () => {
    const site = await open({ loop: budget })
    await site.declare([shelf("books", { count: 10 })])
    await site.declare([shelf("books", { count: 10, series: "n" })], 10_000)
    expect(site.there()).toHaveLength(10)
    expect(site.there()).toContain("books-n9")
    expect(site.plans("Pending")).toEqual([])
    expect(site.loop.facts([]).deletesUsed).toBe(0)
    expect(site.loop.facts([]).changesUsed).toBe(10)
  })

  it("goes step by step over the limit of changes", async () => {
    const limits = { ...budget.limits, changes: 4 }
    const site = await open({ loop: { limits } })
    await site.declare([shelf("books", { count: 10 })])
    await site.declare([shelf("books", { count: 10, series: "n" })], 10_000)
    expect(site.there()).toHaveLength(16)
    await site.clock.advance(25 * 60_000)
    expect(site.there()).toHaveLength(10)
  })

  it("waits for a person when most of it would go", async () => {
    const site = await open({ loop: budget })
    await site.declare([shelf("books", { count: 20 })])
    await site.declare([shelf("books", { count: 4 })])
    expect(site.there()).toHaveLength(20)
    expect(await ready(site)).toMatchObject({ status: "False", reason: "DeleteHeld" })
    expect(site.pending().held).toHaveLength(16)
    const before = site.revision
    for (let pass = 0; pass < 3; pass++) await site.look()
    expect(site.revision).toBe(before)
    await site.approve()
    expect(site.there()).toHaveLength(4)
    expect(await ready(site)).toMatchObject({ status: "True" })
  })

  it("(twin) would go at once if shrinking counted as changing", async () => {
    without("shrinking-counts-as-deleting")
    const site = await open({ loop: budget })
    await site.declare([shelf("books", { count: 20 })])
    await site.declare([shelf("books", { count: 4 })], 10_000)
    expect(site.there()).toHaveLength(4)
  })

  it("always waits when nothing would be left", async () => {
    const site = await open({ loop: budget })
    await site.declare([shelf("books", { count: 2 })])
    await site.declare([shelf("books", { count: 0 })])
    expect(site.there()).toHaveLength(2)
    expect(site.pending().held).toHaveLength(2)
  })

  it("is kept when it is wanted again before anybody decided", async () => {
    const site = await open({ loop: budget })
    await site.declare([shelf("books", { count: 20 })])
    await site.declare([shelf("books", { count: 4 })])
    await site.declare([shelf("books", { count: 20 })])
    expect(site.plans("Pending")).toEqual([])
    expect(site.there()).toHaveLength(20)
    expect(await ready(site)).toMatchObject({ status: "True" })
  })

  it("is a delete each where children are not interchangeable", async () => {
    const site = await open({ loop: budget, fungible: false })
    await site.declare([shelf("books", { count: 10 })])
    await site.declare([shelf("books", { count: 10, series: "n" })])
    expect(site.there()).toHaveLength(20)
    expect(site.pending().held).toHaveLength(10)
  })
})

describe("a deleted composite", () => {
  it("is judged with all of its children, and goes with them when a person approves", async () => {
    const site = await open({ loop: budget })
    await site.declare([widget("alone"), shelf("books", { count: 6 })])
    await site.declare([widget("alone")])
    expect(site.there()).toHaveLength(7)
    expect(
      site
        .pending()
        .held.map(({ action }) => action.kind)
        .sort(),
    ).toEqual(["Shelf", ...Array(6).fill("Widget")])
    expect(await ready(site)).toMatchObject({ reason: "DeleteHeld" })
    await site.approve(site.pending(), {}, 10_000)
    expect(site.there()).toEqual(["alone"])
    expect(await site.run(site.as(ann).get(at))).toBeUndefined()
    expect(site.plans().map(({ phase }) => phase)).toContain("Done")
  })

  it("stays until its children are gone, and is not made anew meanwhile", async () => {
    const site = await open({ loop: { onEmpty: "Allow" } })
    await site.declare([shelf("books", { count: 1 })])
    const call = (verb: string, body: Json) =>
      site.run(site.as(ann).call("POST", `/setpoint/v1/${verb}`, body))
    await call("stop", { scope: "deletes" })
    await site.declare([])
    const marked = await site.run(site.as(ann).get(at))
    expect(marked?.metadata.deletionTimestamp).toBeDefined()
    expect(await ready(site)).toMatchObject({ reason: "Deleting" })
    expect(site.there()).toEqual(["books-w0"])
    await call("resume", { scope: "deletes" })
    await site.clock.advance(10_000)
    expect(site.there()).toEqual([])
    expect(await site.run(site.as(ann).get(at))).toBeUndefined()
  })
})

describe("a composer that is wrong", () => {
  const wrong: readonly [string, Parameters<typeof shelfKind>[0], string][] = [
    [
      "throws",
      () => {
        throw new Error("no idea")
      },
      "ComposeFailed",
    ],
    ["can't know", () => ({ stalled: "the index is not there" }), "NoComposition"],
    [
      "names a child twice",
      (made) => ({ ...made, children: [...made.children, ...made.children] }),
      "BadComposition",
    ],
    [
      "wants a kind that it did not announce",
      (made) => ({ ...made, children: [shelf("a", {})] }),
      "BadComposition",
    ],
    [
      "wants 1,001 children",
      (made) => ({ ...made, children: Array.from({ length: 1001 }, (_, n) => widget(`x${n}`)) }),
      "BadComposition",
    ],
    [
      "writes a long status",
      (made) => ({ ...made, status: { text: "x".repeat(70_000) } }),
      "BadComposition",
    ],
    [
      "returns a promise",
      (made) => ({ ...made, status: Promise.resolve() as never }),
      "BadComposition",
    ],
    [
      "writes into another namespace",
      (made) => ({
        ...made,
        children: made.children.map((one) => ({
          ...one,
          metadata: { ...one.metadata, namespace: "else" },
        })),
      }),
      "BadComposition",
    ],
    [
      "takes the mark of a source",
      (made) => ({
        ...made,
        children: made.children.map((one) => ({
          ...one,
          metadata: { ...one.metadata, annotations: { "setpoint.dev/source": "a:1" } },
        })),
      }),
      "BadComposition",
    ],
    [
      "wants what the API refuses",
      (made) => ({ ...made, children: [widget("bad", { size: "large" })] }),
      "ChildRefused",
    ],
  ]

  it.each(wrong)("and %s changes nothing, and says why", async (_name, change, reason) => {
    let broken = false
    const kind = shelfKind((made, input) =>
      broken ? (change ?? ((one) => one))(made, input) : made,
    )
    const site = await open({
      composites: [kind],
      loop: { limits: { deletes: 100, deletesPercent: 100 } },
    })
    await site.declare([shelf("books", { count: 3 })])
    broken = true
    await site.declare([shelf("books", { count: 1 })])
    expect(site.there()).toEqual(["books-w0", "books-w1", "books-w2"])
    const all = await conditions(site)
    expect(all.find(({ type }) => type === "Stalled")).toMatchObject({ status: "True", reason })
    const before = site.revision
    await site.look()
    expect(site.revision).toBe(before)
    expect(site.sim.errors).toEqual([])
    broken = false
    await site.look(10_000)
    expect(await ready(site)).toMatchObject({ status: "True" })
  })

  it("(twin) that throws would lose its children if that meant that it wants none", async () => {
    without("failed-compose-is-not-empty")
    let broken = false
    const kind = shelfKind((made) => {
      if (broken) throw new Error("no idea")
      return made
    })
    const loop = { limits: { deletes: 100, deletesPercent: 100 }, onEmpty: "Allow" }
    const site = await open({ composites: [kind], loop })
    await site.declare([shelf("books", { count: 3 })])
    broken = true
    await site.look(10_000)
    expect(site.there()).toEqual([])
  })

  it("(twin) that takes the mark of a source would have its children pruned by it", async () => {
    without("composers-own-no-marks")
    const mark = { "setpoint.dev/source": "a.yaml:1" }
    const marked = (one: ApiObject) => ({
      ...one,
      metadata: { ...one.metadata, annotations: mark },
    })
    const kind = shelfKind((made) => ({ ...made, children: made.children.map(marked) }))
    const loop = { limits: { deletes: 100, deletesPercent: 100 }, onEmpty: "Allow" }
    const site = await open({ composites: [kind], loop })
    await site.declare([shelf("books", { count: 2 })])
    await site.declare([shelf("books", { count: 2 }), widget("other")])
    expect(site.world.ledger.map(({ verb }) => verb)).toContain("deleted")
  })

  it("takes nothing that somebody else made", async () => {
    const site = await open()
    await site.create(widget("books-w1", { color: "green" }))
    await site.declare([shelf("books", { count: 3 })])
    expect((await site.object("books-w1"))?.spec?.color).toBe("green")
    expect(await ready(site)).toMatchObject({ reason: "ChildRefused" })
  })
})

describe("fields that a composite declares", () => {
  const child = { ...widgets, namespace: "default", name: "books-w0" }

  const named = async () => {
    const site = await open({ loop: budget })
    await site.declare([shelf("books", { count: 3 })])
    await site.create(widget("mine"), ann)
    await site.clock.advance(3000)
    const { uid = "" } = (await site.run(site.as(ann).get(at)))?.metadata ?? {}
    const owner = { apiVersion: "sim.setpoint.dev/v1", kind: "Shelf", name: "books", uid }
    const ref = { ...widgets, namespace: "default", name: "mine" }
    const patch = { metadata: { ownerReferences: [{ ...owner, controller: true }] } }
    await site.run(site.as(ann).patch(ref, "merge", patch))
    await site.clock.advance(10_000)
    return site.there()
  }

  it("are what the composite wrote, and not what somebody calls its child", async () => {
    expect(await named()).toContain("mine")
  })

  it("(twin) could be deleted by whoever may only change them", async () => {
    without("children-are-written-by-their-composite")
    expect(await named()).not.toContain("mine")
  })

  it("are changed by nobody else, also not by force; others stay free", async () => {
    const site = await open()
    await site.declare([shelf("books", { count: 1 })])
    const patch = (body: object) => site.as(ann).patch(child, "merge", body as never)
    expect(await site.refused(patch({ spec: { color: "blue" } }))).toContain("Shelf books")
    const mine: ApiObject = { ...widget("books-w0", { color: "blue" }) }
    const metadata = { ...mine.metadata, namespace: "default" }
    const apply = site
      .as(ann)
      .apply(widgets, { ...mine, metadata }, { fieldManager: "ann", force: true })
    expect(await site.refused(apply)).toContain("setpoint-composite/Shelf")
    await site.run(patch({ spec: { tags: ["mine"] } }))
    await site.clock.advance(5000)
    expect((await site.object("books-w0"))?.spec).toMatchObject({ color: "red", tags: ["mine"] })
    await site.look()
    const before = site.revision
    await site.look()
    await site.look()
    expect(site.revision).toBe(before)
  })

  it("are not written by whoever only takes the composite's name", async () => {
    const site = await open()
    const as = { fieldManager: "setpoint-composite/Shelf" }
    const object = { ...widget("a"), metadata: { name: "a", namespace: "default" } }
    expect(await site.refused(site.as(bot).apply(widgets, object, as))).toContain("belongs to")
  })
})

describe("a composite in a loop that does not enforce", () => {
  it("declares its children in mode Observe, and nothing is made of them", async () => {
    const site = await open({ loop: { mode: "Observe" } })
    await site.declare([shelf("books", { count: 2 })])
    expect(await site.objects()).toHaveLength(2)
    expect(site.there()).toEqual([])
    expect(site.loop.would.size).toBe(2)
  })

  it("asks a person for each child in mode Propose, and for each replacement", async () => {
    const site = await open({ loop: { mode: "Propose" } })
    await site.declare([shelf("books", { count: 2 })])
    expect(site.there()).toEqual([])
    await site.approve()
    expect(site.there()).toHaveLength(2)
    await site.declare([shelf("books", { count: 2, series: "n" })])
    expect(site.there()).toHaveLength(2)
    await site.approve()
    expect(site.there()).toEqual(["books-n0", "books-n1"])
  })

  it("lets nobody approve their own change of a parent, where authors may not", async () => {
    const approvals = { required: 1, separateAuthor: true }
    const site = await open({ source: false, loop: { mode: "Propose", approvals } })
    const books = {
      ...shelf("books", { count: 2 }),
      metadata: { name: "books", namespace: "default" },
    }
    await site.run(site.as(ann).create(shelves, books))
    await site.clock.advance(3000)
    expect(await site.refused(site.approval(site.pending()))).toContain("ann")
    await site.run(site.approval(site.pending(), {}, { name: "eve", kind: "human" }))
    await site.clock.advance(3000)
    expect(site.there()).toHaveLength(2)
  })
})
