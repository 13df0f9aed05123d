// What `setpoint plan` and `setpoint explain` say of composites, related kinds and their reports.

import { describe, expect, it } from "vitest"
import { z } from "zod"
import { at, isArray, type Json } from "../../src/base/json.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { preview } from "../../src/plane/preview.ts"
import { defineComposite } from "../../src/provider/define-composite.ts"
import { shelf, shelfKind } from "./shelf.ts"
import { ann, Site, type SiteOptions, widget } from "./site.ts"

const open = (options: SiteOptions = {}) =>
  Site.open({ composites: [shelfKind()], fungible: true, ...options })

/** Verb, name and verdict of what a plan would do with these manifests in force. */
async function planned(site: Site, objects: readonly ApiObject[]): Promise<string[]> {
  site.sim.source.set({ kind: "unreadable", issues: [] }) // The plane must not take them meanwhile.
  const { ports } = site.sim.plane
  const manifests = objects.map((object, index) => {
    const position = { file: "plan.yaml", line: index + 1, column: 1 }
    return { object, position, locate: () => position }
  })
  const source = {
    ...site.sim.source,
    description: "directory /site",
    watch: () => ({ close() {} }),
  }
  const read = async () => ({ kind: "complete", revision: "plan", manifests }) as const
  const asked = { ...ports, stops: () => [], openSource: () => ({ ...source, read }) }
  const before = site.revision
  const answer = await site.run(preview({}, asked))
  expect(site.revision).toBe(before)
  if (answer.kind !== "judged") throw new Error(JSON.stringify(answer))
  const loop = answer.loops.find(({ id }) => id === "default.site")
  const notes = (loop?.notes ?? []).map(({ state, message }) => `${state}: ${message}`)
  return [...(loop?.actions ?? []).map((one) => `${one.verb} ${one.name} ${one.verdict}`), ...notes]
}

describe("a plan", () => {
  it("shows what a composite would make, change, replace and lose", async () => {
    const site = await open()
    expect(await planned(site, [shelf("books", { count: 2 })])).toEqual([
      "create books-w0 run",
      "create books-w1 run",
    ])
    await site.declare([shelf("books", { count: 2 })])
    expect(await planned(site, [shelf("books", { count: 2 })])).toEqual([])
    expect(await planned(site, [shelf("books", { count: 2, color: "blue" })])).toEqual([
      "update books-w0 run",
      "update books-w1 run",
    ])
    expect(await planned(site, [shelf("books", { count: 1, series: "n" })])).toEqual([
      "create books-n0 run",
      "delete books-w0 hold",
      "delete books-w1 hold",
    ])
    expect(await planned(site, [widget("a")])).toEqual([
      "create a run",
      "delete books-w0 hold",
      "delete books-w1 hold",
      "release: no longer declared; its children go with it",
    ])
  })

  it("says why a composite can't be composed", async () => {
    const broken = shelfKind(() => ({ stalled: "no idea" }))
    const site = await open({ composites: [broken] })
    expect(await planned(site, [shelf("books", { count: 2 })])).toEqual(["stuck: no idea"])
  })
})

describe("explain", () => {
  const explain = async (site: Site, key: string): Promise<Json> =>
    site.run(site.as(ann).call("GET", `/setpoint/v1/explain?object=${key}`))

  it("names the children of a parent, and the parent of a child", async () => {
    const site = await open()
    await site.declare([shelf("books", { count: 2 })])
    const parent = await explain(site, "shelves.sim.setpoint.dev/default/books")
    const children = at(parent, "children")
    expect(isArray(children) && children.map((one) => at(one, "ready"))).toEqual([true, true])
    const child = await explain(site, "widgets.sim.setpoint.dev/default/books-w0")
    expect(at(child, "parent")).toBe("Shelf books")
  })
})

describe("related objects", () => {
  const group = "sim.setpoint.dev"
  const note = defineComposite({
    ...{ group, version: "v1", kind: "Note" },
    spec: z.strictObject({ text: z.string() }),
  })
  const reader = defineComposite({
    ...{ group, version: "v1", kind: "Reader", spec: z.strictObject({}) },
    related: [
      { group, kind: "Note" },
      { group: "", kind: "ConfigMap" },
    ],
    compose: ({ related }) => ({
      children: [],
      status: { seen: related.map(({ kind, metadata }) => `${kind} ${metadata.name}`) },
      reports: related
        .filter(({ kind }) => kind === "Note")
        .map((object) => ({
          object,
          status: {
            length: String(object.spec?.text).length,
            conditions: [{ type: "Ready", status: "True", reason: "Read", message: "read" }],
          },
        })),
    }),
  })
  const object = (kind: string, name: string, rest: object): ApiObject => ({
    ...{ apiVersion: kind === "ConfigMap" ? "v1" : `${group}/v1`, kind, metadata: { name } },
    ...rest,
  })
  const get = (site: Site, resource: string, name: string) =>
    site.run(site.as(ann).get({ group, version: "v1", resource, namespace: "default", name }))

  it("wake the composite, are given to it, and get the status that it reports", async () => {
    const site = await open({ composites: [note, reader], loop: { interval: "24h" } })
    const all = [
      object("Reader", "me", { spec: {} }),
      object("Note", "n", { spec: { text: "four" } }),
    ]
    await site.declare(all)
    expect((await get(site, "readers", "me"))?.status?.seen).toEqual(["Note n"])
    const told = (await get(site, "notes", "n"))?.status
    expect(told).toMatchObject({ length: 4, observedGeneration: 1 })
    expect(at(isArray(told?.conditions) ? told.conditions[0] : {}, "reason")).toBe("Read")
    await site.declare([...all, object("ConfigMap", "c", { data: {} })])
    const seen = (await get(site, "readers", "me"))?.status?.seen
    expect(isArray(seen) ? seen.filter((one) => one !== "ConfigMap kube-root-ca.crt") : []).toEqual(
      ["ConfigMap c", "Note n"],
    )
    await site.look()
    const before = site.revision
    await site.look()
    expect(site.revision).toBe(before)
    await site.declare(all.slice(0, 1))
    expect(await get(site, "notes", "n")).toBeUndefined()
  })
})
