// Gate: the informer of @kubernetes/client-node and the watch of the Python client follow thousands
// of changes, deletes and deletecollections among them, through kills and restarts of the server,
// and through compaction, without a gap and without a repeat.

import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { Agent, request } from "node:https"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { full } from "../full.ts"
import { requireTool } from "../tools.ts"
import { ServedPlane } from "./clients/served-plane.ts"
import { waitFor } from "./plane/wait-for.ts"

vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 })

const changes = full ? 10_000 : 600
const names = 50
const restarts = full ? 5 : 1

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const clientNode = here("../clients/node_modules/@kubernetes/client-node/dist/index.js")
const python = requireTool("/usr/bin/python3: -mkubernetes.__init__")

/** A client in a process of its own, and everything that it has said. */
class Follower {
  readonly events: (readonly [string, string, string, string])[] = []
  /** How often it has listed all. */
  lists = 0
  readonly #child: ChildProcess

  constructor(program: string, args: readonly string[], env: Record<string, string>) {
    this.#child = spawn(program, args, { env, stdio: ["ignore", "pipe", "ignore"] })
    let rest = ""
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString("utf8")).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        const event = JSON.parse(line)
        if (event[0] === "LIST") this.lists++
        else this.events.push(event)
      }
    })
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** The newest value of each name, or "gone". */
  state(): Map<string, string> {
    const state = new Map<string, string>()
    for (const [type, name, value] of this.events) {
      state.set(name, type.toLowerCase().startsWith("delete") ? "gone" : value)
    }
    return state
  }
}

/** Writes, and tries again until it is known to be done. */
class Writer {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8, rejectUnauthorized: false })
  readonly #plane: ServedPlane
  /** resourceVersion of each acknowledged write; a delete by name does not tell its own. */
  readonly acknowledged: string[] = []

  constructor(plane: ServedPlane) {
    this.#plane = plane
  }

  /** Names of one lane can be deleted together. */
  async put(name: string, value: string, lane = "none"): Promise<void> {
    const body = JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "default", labels: { followed: "yes", lane } },
      data: { n: value },
    })
    const query = "?fieldManager=writer&force=true"
    const text = await this.#until("PATCH", `/${name}${query}`, body, [200, 201])
    this.acknowledged.push(JSON.parse(text).metadata.resourceVersion)
  }

  async delete(name: string): Promise<void> {
    // When the answer got lost it may be gone already.
    await this.#until("DELETE", `/${name}`, "", [200, 404])
  }

  async deleteAll(lane: string): Promise<void> {
    const text = await this.#until("DELETE", `?labelSelector=lane%3D${lane}`, "", [200])
    const { items }: { items: readonly { metadata: { resourceVersion: string } }[] } =
      JSON.parse(text)
    this.acknowledged.push(...items.map(({ metadata }) => metadata.resourceVersion))
  }

  /** Whether the state of this revision can still be read. */
  async isKept(revision: string): Promise<boolean> {
    const query = `?resourceVersion=${revision}&resourceVersionMatch=Exact`
    const text = await this.#until("GET", query, "", [200, 410])
    return JSON.parse(text).code !== 410
  }

  async #until(
    method: string,
    place: string,
    body: string,
    done: readonly number[],
  ): Promise<string> {
    for (;;) {
      const path = `/api/v1/namespaces/default/configmaps${place}`
      const answer = await this.#send(method, path, body).catch(() => undefined)
      if (answer !== undefined && done.includes(answer.status)) return answer.text
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  #send(method: string, path: string, body: string): Promise<{ status: number; text: string }> {
    const { server, token } = this.#plane
    return new Promise((resolve, reject) => {
      const call = request(`${server}${path}`, {
        method,
        agent: this.#agent,
        timeout: 10_000,
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/apply-patch+yaml",
          "content-length": Buffer.byteLength(body),
        },
      })
      call.once("error", reject)
      call.once("timeout", () => call.destroy(new Error("timeout")))
      call.once("response", (response) => {
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => {
          text += chunk
        })
        response.once("error", reject)
        response.once("end", () => resolve({ status: response.statusCode ?? 0, text }))
      })
      call.end(body)
    })
  }
}

const clients = [
  {
    name: "the informer of client-node",
    alwaysCompacts: false,
    missing: !existsSync(clientNode),
    start: (plane: ServedPlane) =>
      new Follower(
        process.execPath,
        [here("./clients/follow-informer.ts"), clientNode, "default"],
        plane.environment,
      ),
  },
  {
    name: "the watch of the Python client",
    alwaysCompacts: true,
    missing: python.missing,
    start: (plane: ServedPlane) =>
      new Follower(
        "/usr/bin/python3",
        [here("./clients/follow_watch.py"), "default"],
        plane.environment,
      ),
  },
]

describe.each(clients)("$name", ({ missing, start, alwaysCompacts }) => {
  let plane: ServedPlane
  let follower: Follower | undefined
  beforeEach(async () => {
    if (missing) return
    plane = new ServedPlane("--watch-history", "20s")
    await plane.start()
  })
  afterEach(async () => {
    follower?.signal("SIGKILL")
    await plane?.close()
  })

  it.skipIf(missing)(`follows ${changes} changes through ${restarts} kills`, async () => {
    const writer = new Writer(plane)
    await writer.put("first", "0")
    follower = start(plane)
    const followed = follower
    await waitFor("it lists", () => followed.events.length > 0)
    const values = new Map<string, string>()
    const lane = async (index: number) => {
      const own = `l${index}`
      const clear = async () => {
        await writer.deleteAll(own)
        for (const name of values.keys())
          if (name.startsWith(`m${index}-`)) values.set(name, "gone")
      }
      for (let n = index, step = 1; n < changes; n += 8, step++) {
        // One lane for each name, so that the order of its values is known.
        const name = `m${n % 8}-${n % names}`
        values.set(name, String(n))
        await writer.put(name, String(n), own)
        if (step % 20 === 0) await clear()
        else if (step % 7 === 0) {
          await writer.delete(name)
          values.set(name, "gone")
        }
      }
      if (index % 2 === 0) await clear()
    }
    const lanes = Promise.all(Array.from({ length: 8 }, (_, index) => lane(index)))
    for (let kill = 1; kill <= restarts; kill++) {
      const mark = Math.floor((changes * kill) / (restarts + 1))
      await waitFor("so many writes", () => writer.acknowledged.length >= mark || "fewer", {
        deadlineMs: 300_000,
      })
      await plane.end("SIGKILL")
      await plane.start()
    }
    await lanes
    await writer.put("last", "0")
    const last = String(Math.max(...writer.acknowledged.map(Number)))
    await waitFor("it has the last change", () => {
      return followed.events.some(([, , , version]) => version === last) || followed.events.length
    })
    const seen = followed.events.map(([, , , version]) => version)
    const acknowledged = new Set(writer.acknowledged)
    const missed = [...acknowledged].filter((version) => !seen.includes(version))
    expect(missed).toEqual([])
    expect(seen.length).toBe(new Set(seen).size)
    expect(seen.map(Number)).toEqual(seen.map(Number).toSorted((a, b) => a - b))
    const state = followed.state()
    for (const [name, value] of values) expect([name, state.get(name)]).toEqual([name, value])
    const gone = [...values.values()].filter((value) => value === "gone").length
    expect(gone).toBeGreaterThan(0)
    expect(gone).toBeLessThan(values.size)
    expect(followed.lists).toBe(1)
    const deletes = followed.events.filter(([type]) => /^delete/i.test(type)).length
    expect(deletes).toBeGreaterThan(changes / 10)
    console.log(
      `${seen.length} events, ${deletes} of deletes, ${acknowledged.size} acknowledged writes, ` +
        `${restarts} kills`,
    )
  })

  it.skipIf(missing || !(full || alwaysCompacts))(
    "comes to the true state when its past has been compacted away",
    async () => {
      const writer = new Writer(plane)
      const names = Array.from({ length: 20 }, (_, n) => `c${n}`)
      const [stays, goes] = [names.slice(0, 10), names.slice(10)]
      for (const name of stays) await writer.put(name, "0", "stays")
      for (const name of goes) await writer.put(name, "0", "goes")
      follower = start(plane)
      const followed = follower
      await waitFor("it lists", () => followed.state().size === 20 || followed.state().size)
      // A short memory for the rest: what the client last saw is forgotten while it sleeps.
      follower.signal("SIGSTOP")
      const known = writer.acknowledged.at(-1) ?? ""
      await plane.end()
      plane = await restarted(plane)
      const again = new Writer(plane)
      let n = 0
      await waitFor("what it saw is forgotten", async () => {
        for (const name of stays) await again.put(name, String(++n), "stays")
        return !(await again.isKept(known)) || n
      })
      await again.deleteAll("goes")
      for (const name of stays) await again.put(name, "last", "stays")
      follower.signal("SIGCONT")
      const wanted = (name: string) => (stays.includes(name) ? "last" : "gone")
      await waitFor("it knows the true state", () => {
        const wrong = [...followed.state()].filter(([name, value]) => value !== wanted(name))
        return wrong.length === 0 || JSON.stringify(wrong.slice(0, 3))
      })
      // It could not just go on.
      expect(followed.lists).toBe(2)
      expect(followed.state().size).toBe(20)
      for (const name of stays) {
        const own = followed.events.filter(([, one]) => one === name)
        const versions = own.map(([, , , version]) => Number(version))
        expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b))
      }
    },
  )
})

async function restarted(plane: ServedPlane): Promise<ServedPlane> {
  plane.options.splice(0, 2, "--watch-history", "1s")
  await plane.start()
  return plane
}
