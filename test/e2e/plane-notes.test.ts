// Gate: the provider of the example, less than 60 lines, in a real plane against a real HTTP server
// with pages, throttling, outages and lost replies.

import { rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type RestServer, startRestServer } from "../../src/provider/adapter/rest-server.ts"
import { itInFull } from "../full.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { pause, waitFor } from "./plane/wait-for.ts"

const noteModule = fileURLToPath(new URL("../../examples/10-own-provider/note.ts", import.meta.url))
const args = ["--provider", noteModule]
const count = 50
const noteResource = {
  group: "notes.example.com",
  version: "v1alpha1",
  resource: "notes",
} as const

let rig: PlaneRig
let server: RestServer
let names: string[] = []
beforeEach(async () => {
  rig = new PlaneRig()
  server = await startRestServer({ pageSize: 7 })
  names = Array.from({ length: count }, (_, index) => `note-${String(index).padStart(2, "0")}`)
  for (const name of names) declare(name, `text of ${name}`)
})
afterEach(async () => {
  await rig.close()
  await server.close()
})

function declare(name: string, text: string): void {
  const spec = { api: server.url, name, text, tags: [] }
  const object = {
    apiVersion: "notes.example.com/v1alpha1",
    kind: "Note",
    metadata: { name },
    spec,
  }
  writeFileSync(rig.manifest(name), JSON.stringify(object))
}

const exactly = (): true | string => {
  const wrong = names.filter((name) => server.items.get(name)?.text !== `text of ${name}`)
  return (wrong.length === 0 && server.items.size === count) || `${wrong.length} wrong`
}

async function converges(): Promise<void> {
  const look = async () => {
    const reached = exactly()
    if (reached === true) return true
    const { states, oldest, lastRound } = await rig.loopStatus()
    return `${reached}; ${JSON.stringify({ states, oldest, lastRound })}`
  }
  await waitFor("the server holds every note", look, { deadlineMs: 60_000, everyMs: 50 })
  await rig.converged(count)
}

const marked = async () => {
  const { items } = await rig.client.list(noteResource, { namespace: "default" })
  return items.filter((item) => item.metadata.deletionTimestamp !== undefined).length
}

describe("50 notes behind a REST API", () => {
  itInFull(
    "converge over pages while every few requests are throttled, each made once",
    async () => {
      let throttling = true
      const throttle = async () => {
        for (let seen = 0; throttling; await pause(5)) {
          if (server.requests.length < seen + 20) continue
          seen = server.requests.length
          throttled++
          server.failNext("throttled")
        }
      }
      let throttled = 0
      const ended = throttle()
      await rig.start({ args })
      await converges()
      throttling = false
      await ended
      console.log(`${throttled} of ${server.requests.length} requests were throttled`)
      expect(throttled).toBeGreaterThan(1)
      expect(server.mutations()).toBe(count)
      const pages = new Set(server.requests.filter((request) => request.startsWith("GET")))
      expect([...pages].some((request) => request.endsWith("page=7"))).toBe(true)
      server.put("note-03", { text: "drifted", tags: [] })
      await rig.call("POST", "look")
      await converges()
      expect(server.mutations()).toBe(count + 1)
    },
  )

  it("makes no second note when the reply to a create is lost", async () => {
    const lose = async () => {
      await waitFor("creates are under way", () => server.mutations() > 3 || server.mutations())
      server.failNext("lostReply")
    }
    const losing = lose()
    await rig.start({ args })
    await losing
    await converges()
    expect(server.mutations()).toBe(count)
    expect(server.items.size).toBe(count)
  })

  it("deletes and makes nothing during an outage, opens the breaker, and recovers", async () => {
    await rig.start({ args })
    await converges()
    const before = server.mutations()
    for (const mode of ["serverError", "partialList", "unauthorized"] as const) {
      server.failAll(mode)
      await rig.call("POST", "look")
      rmSync(rig.manifest("note-00"))
      await pause(700)
      expect([mode, server.mutations(), server.items.size]).toEqual([mode, before, count])
      declare("note-00", "text of note-00")
      await pause(200)
    }
    server.failAll("serverError")
    server.remove("note-07")
    await waitFor("the breaker opens", async () => {
      await rig.call("POST", "look")
      const { connections } = await rig.status()
      return connections.length > 0 || "no connection in trouble"
    })
    server.failAll(undefined)
    const recovered = async () => {
      await rig.call("POST", "look")
      return exactly()
    }
    await waitFor("it recovers", recovered, { deadlineMs: 90_000, everyMs: 200 })
    await waitFor("no connection is in trouble", async () => {
      const { connections } = await rig.status()
      return connections.length === 0 || JSON.stringify(connections)
    })
    // Removed and declared again meanwhile, note-00 went in order and was made again.
    await waitFor("nothing is marked any more", async () => (await marked()) === 0)
    await converges()
  })

  it("holds a mass removal of manifests, also during an outage", async () => {
    await rig.start({ args })
    await converges()
    const before = server.mutations()
    for (const name of names.slice(0, 30)) rmSync(rig.manifest(name))
    await waitFor("30 deletes are held", async () => {
      const plan = await rig.pendingPlan()
      return plan?.summary === "30 deletes" || (plan?.summary ?? "no plan")
    })
    expect(await marked()).toBe(0)
    const plan = await rig.pendingPlan()
    if (plan === undefined) throw new Error("no plan")
    server.failAll("serverError")
    await expect(rig.decide(plan, "approve")).rejects.toThrow()
    server.failAll(undefined)
    expect([server.mutations(), server.items.size]).toEqual([before, count])
    await waitFor("it can be approved after the outage", async () => {
      const now = await rig.pendingPlan()
      if (now?.summary !== "30 deletes") return now?.summary ?? "no plan"
      try {
        await rig.decide(now, "approve")
        return true
      } catch (error) {
        return String(error)
      }
    })
    await waitFor("30 are gone", () => server.items.size === 20 || server.items.size)
    expect([...server.items.keys()].sort()).toEqual(names.slice(30))
  })
})
