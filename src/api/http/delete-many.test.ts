// What a DELETE of a collection may take away: what it selects, where everything that was said of
// it holds, and nothing in doubt.

import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { alice, configMap, configMaps } from "../../../test/conformance/client-world.ts"
import { type HttpWorld, openHttpWorld } from "../../../test/conformance/http-world.ts"
import type { ApiObject } from "../../object/object.ts"

const path = "/api/v1/namespaces/default/configmaps"

let http: HttpWorld
beforeEach(async () => {
  http = await openHttpWorld()
  for (const name of ["a", "b", "c"]) await make(name)
})
afterEach(() => http.close())

const ref = (name: string) => ({ ...configMaps, namespace: "default", name })

async function make(name: string, labels: Record<string, string> = {}): Promise<ApiObject> {
  const made = configMap(name)
  const metadata = { ...made.metadata, labels }
  return (await http.world.verbs.create(alice, configMaps, { ...made, metadata })).object
}

async function names(): Promise<string[]> {
  const { items } = await http.world.verbs.list(alice, configMaps)
  return items.map(({ metadata }) => metadata.name)
}

const remove = (query: string, body?: object) =>
  http.send("DELETE", `${path}${query}`, body === undefined ? {} : { body })

describe("a delete of many", () => {
  it("deletes nothing where a precondition does not hold of one of them", async () => {
    const { metadata } = (await http.world.verbs.get(alice, ref("b"))) as ApiObject
    const { uid, resourceVersion } = metadata
    const wrong = [{ uid: "x" }, { uid }, { uid: "" }, { resourceVersion: "5" }]
    for (const preconditions of [...wrong, { resourceVersion }, { resourceVersion: "" }]) {
      const reply = await remove("", { preconditions })
      expect([preconditions, reply.status, reply.body.reason]).toEqual([
        preconditions,
        409,
        "Conflict",
      ])
    }
    for (const query of ["?uid=x", "?resourceVersion=5", `?resourceVersion=${resourceVersion}`]) {
      expect([query, (await remove(query)).status]).toEqual([query, 409])
    }
    expect(await names()).toEqual(["a", "b", "c"])
    const only = "?fieldSelector=metadata.name%3Db"
    expect((await remove(only, { preconditions: { uid, resourceVersion } })).status).toBe(200)
    expect(await names()).toEqual(["a", "c"])
  })

  it("does not take the resourceVersion of a precondition for that of the list", async () => {
    // As of its revision there was nothing but this one, for which the precondition holds.
    const { resourceVersion } = (await http.world.verbs.get(alice, ref("a")))?.metadata ?? {}
    const reply = await remove("", { preconditions: { resourceVersion } })
    expect(reply.status).toBe(409)
    expect(await names()).toEqual(["a", "b", "c"])
  })

  it("lists what is there now, not older than the resourceVersion it names", async () => {
    const { resourceVersion } = (await http.world.verbs.get(alice, ref("a")))?.metadata ?? {}
    const reply = await remove(`?resourceVersion=${resourceVersion}`, {})
    expect(reply.status).toBe(200)
    expect(await names()).toEqual([])
  })

  it("takes what was listed, not what has its name by now", async () => {
    const { resourceVersion } = await http.world.verbs.list(alice, configMaps)
    await http.world.verbs.delete(alice, ref("a"))
    await make("a")
    const reply = await remove(`?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`, {})
    expect(reply).toMatchObject({ status: 200, body: { items: [{}, {}] } })
    expect(await names()).toEqual(["a"])
  })

  it("leaves what is not selected any more", async () => {
    await make("d", { tier: "old" })
    await make("e", { tier: "old" })
    const { resourceVersion } = await http.world.verbs.list(alice, configMaps)
    const patch = { metadata: { labels: { tier: "new" } } }
    await http.world.verbs.patch(alice, ref("e"), "merge", patch)
    const exactly = `resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`
    expect((await remove(`?labelSelector=tier%3Dold&${exactly}`, {})).status).toBe(200)
    expect(await names()).toEqual(["a", "b", "c", "e"])
  })

  it("goes page by page where a page is asked for", async () => {
    expect((await remove("?limit=2")).body.metadata).toMatchObject({ continue: expect.any(String) })
    expect(await names()).toEqual(["c"])
    expect((await remove("?limit=0")).status).toBe(200)
    expect(await names()).toEqual([])
  })

  it("is refused with options that are none of a list, or an empty selector", async () => {
    expect(await remove("?sendInitialEvents=true")).toMatchObject({ status: 422 })
    expect(await remove("?resourceVersionMatch=Exact")).toMatchObject({ status: 422 })
    expect(await remove("?resourceVersion=99999999", {})).toMatchObject({ status: 504 })
    for (const query of ["?labelSelector=", "?fieldSelector=", "?labelSelector=%20"]) {
      expect([query, (await remove(query)).status]).toEqual([query, 400])
    }
    expect(await names()).toEqual(["a", "b", "c"])
  })
})
