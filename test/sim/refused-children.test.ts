// Children that the API refuses: the parent says which and why, everything else goes on, and
// nothing is deleted because of them.

import { expect, it } from "vitest"
import type { CompositeKind } from "../../src/contract/composite.ts"
import type { Condition } from "../../src/object/object.ts"
import { shelf, shelfKind, shelves } from "./shelf.ts"
import { ann, Site, widget } from "./site.ts"

const at = { ...shelves, namespace: "default", name: "books" }

const open = (kind: CompositeKind) =>
  Site.open({
    ...{ composites: [kind], fungible: true },
    loop: { limits: { deletes: 100, deletesPercent: 100 } },
  })

async function ready(site: Site): Promise<Condition | undefined> {
  const object = await site.run(site.as(ann).get(at))
  const conditions = (object?.status?.conditions ?? []) as unknown[] as Condition[]
  return conditions.find(({ type }) => type === "Ready")
}

const bad = widget("bad", { size: "large" })

it("a refused child holds up neither others nor the status, and nothing goes", async () => {
  let broken = false
  const kind = shelfKind((made) => {
    return broken ? { children: [...made.children, bad], status: { step: 2 } } : made
  })
  const site = await open(kind)
  await site.declare([shelf("books", { count: 3 })])
  broken = true
  await site.declare([shelf("books", { count: 2, color: "blue" })])
  expect((await site.object("books-w1"))?.spec?.color).toBe("blue")
  expect(site.there()).toEqual(["books-w0", "books-w1", "books-w2"])
  expect((await site.run(site.as(ann).get(at)))?.status).toMatchObject({ step: 2 })
  const said = await ready(site)
  expect(said).toMatchObject({ status: "False", reason: "ChildRefused" })
  expect(said?.message).toContain("cannot write 1 of the children")
  expect(said?.message).toContain("Widget bad: ")
})

it("a refused child is left out by a composite that hears of it and goes on", async () => {
  const heard: string[] = []
  const kind = shelfKind((made, { refused = [] }) => {
    heard.push(...refused.map(({ object }) => object.metadata.name))
    return refused.length === 0 ? { ...made, children: [...made.children, bad] } : made
  })
  const site = await open({ ...kind, hearsRefusals: true })
  await site.declare([shelf("books", { count: 3 })])
  await site.declare([shelf("books", { count: 2 })], 10_000)
  expect(heard).toContain("bad")
  expect(site.there()).toEqual(["books-w0", "books-w1"])
  expect(await ready(site)).toMatchObject({ status: "True" })
  await site.look()
  const before = site.revision
  await site.look()
  expect(site.revision).toBe(before)
})

it("a refused child that exists stays as it is when its composite leaves it out", async () => {
  let broken = false
  const kind = shelfKind((made, { refused = [] }) => {
    const left = new Set(refused.map(({ object }) => object.metadata.name))
    const children = made.children.map((one) =>
      broken && one.metadata.name === "books-w1" ? widget("books-w1", { size: "large" }) : one,
    )
    return { ...made, children: children.filter(({ metadata }) => !left.has(metadata.name)) }
  })
  const site = await open({ ...kind, hearsRefusals: true })
  await site.declare([shelf("books", { count: 3 })])
  broken = true
  await site.declare([shelf("books", { count: 2 })], 10_000)
  expect(site.there()).toEqual(["books-w0", "books-w1"])
})
