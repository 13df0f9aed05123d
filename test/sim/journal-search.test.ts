// Searching the journals: every filter finds what it should and nothing else, pages join without a
// gap, and one record is shown whole.

import { beforeAll, describe, expect, it } from "vitest"
import { isObject, type Json, type JsonObject } from "../../src/base/json.ts"
import { ann, names, Site, widget } from "./site.ts"

const all = (count: number) => names(count).map((name) => widget(name))

describe("a search of the journals", () => {
  let site: Site
  beforeAll(async () => {
    site = await Site.open({ loop: { limits: { deletes: 2, deletesPercent: 100 } } })
    await site.declare(all(10))
    site.world.edit("w1", { color: "blue" })
    await site.look()
    await site.declare(all(4))
    await site.approve()
  })

  async function find(query: string): Promise<JsonObject[]> {
    return (await page(query)).entries as JsonObject[]
  }

  async function page(query: string): Promise<JsonObject> {
    const answer: Json = await site.run(site.as(ann).call("GET", `/setpoint/v1/journal?${query}`))
    if (!isObject(answer)) throw new Error("no answer")
    return answer
  }

  it("shows the newest first, of all loops", async () => {
    const found = await find("limit=500")
    const times = found.map((one) => String(one.time))
    expect(times).toEqual(times.toSorted().toReversed())
    expect(new Set(found.map((one) => one.loop))).toContain("default.site")
    expect(new Set(found.map((one) => one.loop))).toContain("plane")
  })

  it("joins pages without a gap or a repetition", async () => {
    const whole = (await find("limit=500")).map((one) => `${one.loop}/${one.sequence}`)
    const joined: string[] = []
    let before = ""
    do {
      const { entries, next = "" } = await page(`limit=3&before=${encodeURIComponent(before)}`)
      joined.push(...(entries as JsonObject[]).map((one) => `${one.loop}/${one.sequence}`))
      before = String(next)
    } while (before !== "")
    expect(joined).toEqual(whole)
  })

  it.each([
    ["type=receipt&verb=delete", 6, "deleted Widget"],
    ["type=receipt&cause=drift", 1, "updated Widget w1"],
    ["type=receipt&object=default/w7", 2, "Widget w7"],
    ["type=held", 1, "held 6 actions"],
    ["type=plan&text=approved%20by%20ann", 1, "plan is Executing"],
    ["type=receipt&verb=update&object=w2", 0, ""],
  ])("finds by %s", async (query, count, title) => {
    const found = await find(`loop=default.site&limit=500&${query}`)
    expect(found).toHaveLength(count)
    for (const one of found) expect(one.title).toContain(title)
  })

  it("finds by who and from which revision", async () => {
    const mine = await find("principal=ANN&limit=500")
    expect(mine.length).toBeGreaterThan(0)
    const [receipt] = await find("type=receipt&verb=create&limit=1")
    const revision = String(receipt?.revision)
    const same = await find(`type=receipt&limit=500&revision=${revision.slice(0, 8)}`)
    expect(same.length).toBeGreaterThanOrEqual(10)
    for (const one of same) expect(one.revision).toBe(revision)
  })

  it("finds by time, from and until", async () => {
    const whole = await find("limit=500&loop=default.site")
    const middle = String(whole[Math.floor(whole.length / 2)]?.time)
    const young = await find(`limit=500&loop=default.site&since=${middle}`)
    const old = await find(`limit=500&loop=default.site&until=${middle}`)
    expect(young.every((one) => String(one.time) >= middle)).toBe(true)
    expect(old.every((one) => String(one.time) <= middle)).toBe(true)
    const both = whole.filter((one) => one.time === middle).length
    expect(young.length + old.length - both).toBe(whole.length)
  })

  it("shows one record whole, with what guards judged by", async () => {
    const [round] = await find("type=round&text=DeleteLimit&limit=1")
    const path = `/setpoint/v1/journal/default.site/${round?.sequence}`
    const answer = await site.run(site.as(ann).call("GET", path))
    expect(answer).toMatchObject({
      brief: { type: "round" },
      entry: { event: { inputs: { inventory: 10, baseline: 10 } }, hash: expect.any(String) },
    })
  })

  it("says which journal or record there is not, and which time is none", async () => {
    const call = (path: string) => site.as(ann).call("GET", `/setpoint/v1/${path}`)
    expect(await site.refused(call("journal?loop=default.nowhere"))).toContain("there is none")
    expect(await site.refused(call("journal/default.site/9999"))).toContain("cannot find record")
    expect(await site.refused(call("journal/default.site/x"))).toContain("cannot find record 0")
    expect(await site.refused(call("journal?since=soon"))).toContain("that is no time")
  })
})
