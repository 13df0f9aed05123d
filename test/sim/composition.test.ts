import { describe, expect, it } from "vitest"
import type { ApiObject, Condition } from "../../src/object/object.ts"
import { shelf, shelfKind, shelves } from "./shelf.ts"
import { ann, Site, type SiteOptions, widgets } from "./site.ts"

const open = (options: SiteOptions = {}) =>
  Site.open({ composites: [shelfKind()], fungible: true, ...options })

async function shelfOf(site: Site, name = "books"): Promise<ApiObject | undefined> {
  return site.run(site.as(ann).get({ ...shelves, namespace: "default", name }))
}

async function ready(site: Site, name = "books"): Promise<Condition | undefined> {
  const conditions = (await shelfOf(site, name))?.status?.conditions
  const all = Array.isArray(conditions) ? (conditions as unknown[] as Condition[]) : []
  return all.find(({ type }) => type === "Ready")
}

describe("a composite", () => {
  it("makes its children in its own loop, owns them and is ready when they are", async () => {
    const site = await open()
    await site.declare([shelf("books", { count: 3 })])
    expect(site.there()).toEqual(["books-w0", "books-w1", "books-w2"])
    const child = await site.object("books-w1")
    const parent = await shelfOf(site)
    expect(child?.metadata.ownerReferences).toEqual([
      {
        apiVersion: "sim.setpoint.dev/v1",
        kind: "Shelf",
        name: "books",
        uid: parent?.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ])
    expect(child?.metadata.labels?.["setpoint.dev/loop"]).toBe("default.site")
    expect(await ready(site)).toMatchObject({ status: "True", reason: "Converged" })
    expect(parent?.status?.widgets).toBe(3)
    const entries = await site.journal()
    const causes = entries.flatMap(({ event }) => (event.type === "intent" ? event.actions : []))
    expect(causes.map(({ cause }) => cause.text)).toEqual(Array(3).fill("declared by Shelf books"))
    expect(site.sim.errors).toEqual([])
  })

  it("goes quiet: looks at it write nothing, outside or to the store", async () => {
    const site = await open()
    await site.declare([shelf("books", { count: 5 })])
    await site.look()
    await site.clock.advance(20 * 60_000)
    const before = [site.revision, site.mutations]
    for (let pass = 0; pass < 5; pass++) await site.look()
    await site.restart()
    await site.clock.advance(20 * 60_000)
    const restarted = site.revision
    await site.look()
    await site.look()
    expect([site.revision, site.mutations]).toEqual([restarted, before[1]])
  })

  it("brings a changed parent to all of its children", async () => {
    const site = await open()
    await site.declare([shelf("books", { count: 3 })])
    await site.declare([shelf("books", { count: 4, color: "blue" })])
    expect(site.world.targets().map(({ value }) => value.color)).toEqual(Array(4).fill("blue"))
  })

  it("makes a child again that somebody deleted", async () => {
    const site = await open()
    await site.declare([shelf("books", { count: 3 })])
    await site.run(site.as(ann).delete({ ...widgets, namespace: "default", name: "books-w1" }))
    await site.clock.advance(10_000)
    expect(site.there()).toEqual(["books-w0", "books-w1", "books-w2"])
    expect(await ready(site)).toMatchObject({ status: "True" })
  })
})
