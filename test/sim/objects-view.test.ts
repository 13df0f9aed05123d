// All objects as lines, and one object with its fields and its ties: what the dashboard shows.

import { describe, expect, it } from "vitest"
import { at, type Json, type JsonObject } from "../../src/base/json.ts"
import { authenticatedGroup, type Principal } from "../../src/contract/principal.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { siteWith } from "../corpus/site-with.ts"
import { shelf, shelfKind } from "./shelf.ts"
import { ann, type Site, widget, widgets } from "./site.ts"
import { colored, outputOf, secretOf, wired } from "./wired-widgets.ts"

const keyOf = (name: string) => `widgets.sim.setpoint.dev/default/${name}`
const get = async (site: Site, path: string, who: Principal = ann): Promise<JsonObject> =>
  (await site.run(site.as(who).call("GET", path))) as JsonObject

interface Row extends JsonObject {
  readonly key: string
}
const rowsOf = (answer: Json): readonly Row[] => (at(answer, "rows") ?? []) as readonly Row[]
const names = (answer: Json) => rowsOf(answer).map(({ key }) => key.split("/")[2])
const byPath = (view: Json) => {
  const rows = (at(view, "rows") ?? []) as readonly JsonObject[]
  return Object.fromEntries(rows.map((row) => [String(row.path), row]))
}

async function all(site: Site, limit: number): Promise<{ rows: Row[]; cursor: string }> {
  const rows: Row[] = []
  let next = ""
  for (;;) {
    const page = await get(site, `/setpoint/v1/objects?limit=${limit}&next=${next}`)
    rows.push(...rowsOf(page))
    if (page.next === undefined) return { rows, cursor: String(page.cursor) }
    next = String(page.next)
  }
}

describe("objects as lines", () => {
  it("say where each belongs, how it stands, who owns it and what it refers to", async () => {
    const site = await siteWith({ kind: wired }, { composites: [shelfKind()], fungible: true })
    await site.declare([shelf("books", { count: 2 }), widget("a"), colored("b", outputOf("a"))])
    const { rows } = await all(site, 1)
    const named = Object.fromEntries(rows.map((row) => [row.key.split("/")[2], row]))
    expect(Object.keys(named).sort()).toEqual(["a", "b", "books", "books-w0", "books-w1"])
    expect(named.a).toMatchObject({ loop: "default.site", state: "Ready", reason: "Converged" })
    expect(named.b?.refers).toEqual([keyOf("a")])
    expect(named["books-w0"]?.owner).toBe(named.books?.uid)
    expect(named.a?.owner).toBeUndefined()
  })

  it("tell what changed since, and only that", async () => {
    const site = await siteWith({})
    await site.declare([widget("a"), widget("b"), widget("c")])
    const { cursor } = await all(site, 2)
    const nothing = await get(site, `/setpoint/v1/objects?after=${cursor}`)
    expect(nothing).toMatchObject({ rows: [], gone: [], cursor, more: false })
    await site.declare([widget("a"), widget("b", { size: 9 })], 5000)
    const changed = await get(site, `/setpoint/v1/objects?after=${cursor}`)
    expect(names(changed)).toEqual(["b"])
    expect(changed.gone).toEqual([keyOf("c")])
  })

  it("have to be listed again after a restart, and say so", async () => {
    const site = await siteWith({})
    await site.declare([widget("a")])
    const { cursor } = await all(site, 10)
    await site.restart()
    expect(await get(site, `/setpoint/v1/objects?after=${cursor}`)).toEqual({ again: true })
    for (const path of ["after=x", "next=x", `next=${cursor}~nothing~1`]) {
      const refused = await site.refused(site.as(ann).call("GET", `/setpoint/v1/objects?${path}`))
      expect(refused).toContain("cannot show more with")
    }
  })

  it("lose none when objects go and come while pages are read", async () => {
    const site = await siteWith({})
    const many = Array.from({ length: 9 }, (_, index) => widget(`w${index}`))
    await site.declare(many)
    const first = await get(site, "/setpoint/v1/objects?limit=4")
    await site.declare([...many.slice(1), widget("z")], 8000)
    const seen = new Map(rowsOf(first).map((row) => [row.key, row]))
    let next: unknown = first.next
    while (next !== undefined) {
      const page = await get(site, `/setpoint/v1/objects?limit=4&next=${String(next)}`)
      for (const row of rowsOf(page)) seen.set(row.key, row)
      next = page.next
    }
    const since = await get(site, `/setpoint/v1/objects?after=${String(first.cursor)}`)
    for (const row of rowsOf(since)) seen.set(row.key, row)
    for (const key of (since.gone ?? []) as readonly string[]) seen.delete(key)
    const left = [...seen.keys()].sort()
    expect(left).toEqual([...many.slice(1), widget("z")].map((one) => keyOf(one.metadata.name)))
  })
})

describe("one object", () => {
  it("shows every field with its three sides, who set it and how it was judged", async () => {
    const site = await siteWith({ kind: wired }, { loop: { mode: "Enforce", onDrift: "Report" } })
    await site.declare([widget("a", { size: 3 }), colored("b", outputOf("a"))])
    site.world.edit("a", { size: 8 })
    await site.look()
    const view = await get(site, `/setpoint/v1/object?object=${keyOf("a")}`)
    const rows = byPath(view)
    expect(rows.size).toMatchObject({ why: "drift", declared: 3, applied: 3, observed: 8 })
    expect(rows.color).toMatchObject({ why: "same", declared: "red", observed: "red" })
    expect(rows.size?.managers).toEqual(["setpoint-source/default.site"])
    expect(view.standing).toBe("Drifted")
    const other = await get(site, `/setpoint/v1/object?object=${keyOf("b")}`)
    expect(byPath(other).color?.from).toBe("Widget/a status.outputs.color")
    expect(at(other, "relations", "relations")).toEqual([
      expect.objectContaining({ from: keyOf("b"), to: keyOf("a"), kind: "refers" }),
    ])
  })

  it("never shows a secret, nor its hash", async () => {
    const site = await siteWith({ kind: wired })
    const secret: ApiObject = {
      ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "s" } },
      data: { password: Buffer.from("correct-horse").toString("base64") },
    }
    await site.declare([secret, colored("a", secretOf("s"))])
    const view = await get(site, `/setpoint/v1/object?object=${keyOf("a")}`)
    expect(byPath(view).color).toMatchObject({
      ...{ declared: { $secret: true }, applied: { $secret: true }, observed: { $secret: true } },
    })
    expect(JSON.stringify(view)).not.toMatch(/correct-horse|hmac:/)
  })

  it("has a timeline with causes, the newest first, in pages", async () => {
    const site = await siteWith({})
    await site.declare([widget("a"), widget("b")])
    for (const size of [2, 3, 4]) await site.declare([widget("a", { size }), widget("b")])
    const path = `/setpoint/v1/timeline?object=${keyOf("a")}&limit=2`
    const found: JsonObject[] = []
    let before = ""
    for (let pages = 0; pages < 50; pages++) {
      const page = await get(site, `${path}${before}`)
      found.push(...((page.entries ?? []) as readonly JsonObject[]))
      if (page.before === undefined) break
      before = `&before=${String(page.before)}`
    }
    const sequences = found.map(({ sequence }) => Number(sequence))
    expect(sequences).toEqual([...new Set(sequences)].sort((one, two) => two - one))
    const receipts = found.filter((one) => at(one, "event", "type") === "receipt")
    const causes = receipts.map((one) => at(one, "event", "action", "cause", "kind"))
    expect(causes).toEqual(["edit", "edit", "edit", "edit"])
    expect(JSON.stringify(found)).not.toContain(keyOf("b"))
  })

  it("shows who takes values from it only to those who may see them", async () => {
    const site = await siteWith({ kind: wired })
    await site.declare([widget("a"), colored("b", outputOf("a"))])
    const rules = [
      {
        ...{ verbs: ["get"], apiGroups: [widgets.group], resources: ["widgets"] },
        resourceNames: ["a"],
      },
    ]
    const rbac = { group: "rbac.authorization.k8s.io", version: "v1" }
    const meta = { name: "one", namespace: "default" }
    const made = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: meta }
    await site.run(
      site.as(ann).create({ ...rbac, resource: "roles" }, { ...made, kind: "Role", rules }),
    )
    const roleRef = { apiGroup: rbac.group, kind: "Role", name: "one" }
    const subjects = [{ apiGroup: rbac.group, kind: "User", name: "eve" }]
    await site.run(
      site
        .as(ann)
        .create(
          { ...rbac, resource: "rolebindings" },
          { ...made, kind: "RoleBinding", roleRef, subjects },
        ),
    )
    await site.clock.advance(1000)
    const eve: Principal = { name: "eve", kind: "human", groups: [authenticatedGroup] }
    const view = await get(site, `/setpoint/v1/object?object=${keyOf("a")}`, eve)
    expect(JSON.stringify(view)).not.toContain(keyOf("b"))
    expect(names(await get(site, "/setpoint/v1/objects", eve))).toEqual(["a"])
  })
})
