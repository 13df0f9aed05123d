// The example provider over a real connection in bad weather: pages, outages, throttling and lost
// answers end in facts that nobody can mistake for "nothing is there".

import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { note } from "../../examples/10-own-provider/note.ts"
import { systemClock } from "../../src/base/system.ts"
import type { Listing } from "../../src/contract/observation.ts"
import { createHttp } from "../../src/provider/adapter/http.ts"
import { Bench } from "../../src/provider/conformance/bench.ts"
import { type RestServer, restSubject, startRestServer, worldWith } from "../../src/testing.ts"

let server: RestServer
beforeEach(async () => {
  server = await startRestServer({ pageSize: 10 })
})
afterEach(async () => {
  await server.close()
})

const world = worldWith({ http: createHttp() })
const spec = (name: string, text = "hello") => ({ api: server.url, name, text, tags: [] })

function bench(): Bench {
  const subject = restSubject({ kind: note, samples: () => samples })
  const samples = { first: spec("a"), second: spec("a", "two"), others: [] }
  const outside = {
    list: async () => server.items,
    drift: async () => {},
    remove: async () => {},
    addForeign: async () => "",
    failNext: server.failNext,
    mutations: server.mutations,
  }
  return new Bench(subject, { world, samples, outside, close: async () => {} }, systemClock)
}

async function list(): Promise<Listing | undefined> {
  return (await bench().see(spec("a"))).listing
}

describe("the example provider", () => {
  it("reads every page", async () => {
    for (let index = 0; index < 95; index++) server.put(`n-${index}`, { text: "x", tags: [] })
    const listing = await list()
    expect(listing?.complete).toBe(true)
    expect(listing?.items.length).toBe(95)
    expect(server.requests.length).toBe(10)
  })

  it.each(["serverError", "unauthorized", "throttled"] as const)(
    "never takes %s for an empty list",
    async (mode) => {
      server.put("a", { text: "x", tags: [] })
      server.failAll(mode)
      const listing = await list()
      expect(listing?.complete).toBe(false)
      server.failAll(undefined)
      expect((await list())?.complete).toBe(true)
    },
  )

  it("says unknown when the server goes away in the middle of a list", async () => {
    for (let index = 0; index < 15; index++) server.put(`n-${index}`, { text: "x", tags: [] })
    server.failAll("lostReply")
    expect(await bench().see(spec("zzz"))).toMatchObject({ observation: { kind: "unknown" } })
    await server.close()
    expect(await bench().see(spec("zzz"))).toMatchObject({ observation: { kind: "unknown" } })
  })

  it("makes one item when the answer to a create is lost and the create is repeated", async () => {
    const one = bench()
    server.failNext("lostReply")
    expect(await one.act("create", spec("a"))).toMatchObject({ kind: "unknown" })
    expect(await one.act("create", spec("a"))).toMatchObject({ kind: "failed" })
    expect([...server.items.keys()]).toEqual(["a"])
    expect(server.mutations()).toBe(1)
  })

  it("backs off as failed when it is throttled, with nothing changed", async () => {
    server.failAll("throttled")
    expect(await bench().act("create", spec("a"))).toEqual({
      kind: "failed",
      cause: "PUT answered 429",
      stuck: false,
    })
    expect(server.items.size).toBe(0)
  })
})
