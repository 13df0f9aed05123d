// Gate: once the stop file is there no mutation begins, whoever wrote it and whatever the plane was
// doing; it survives kill -9, and what was in flight is listed with its outcome.

import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { full, itInFull } from "../full.ts"
import { requireTool } from "../tools.ts"
import { mutationsOf, straceCommand } from "./plane/mutation-trace.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import type { InFlightView } from "./plane/views.ts"
import { pause, waitFor } from "./plane/wait-for.ts"

const slowKind = fileURLToPath(new URL("./plane/slow-kind.ts", import.meta.url))
const strace = requireTool("strace")
const count = 200

let rig: PlaneRig
let control = ""
beforeEach(() => {
  rig = new PlaneRig()
  control = join(rig.base, "control")
  mkdirSync(control)
})
afterEach(() => rig.close())

const stopFile = () => join(rig.data, "stop")
/** By the plainest means there is. */
const echoStop = () => execFileSync("sh", ["-c", 'echo > "$1"', "sh", stopFile()])
const made = () => readdirSync(rig.targets).filter((name) => !name.startsWith("."))
const inFlight = async () => ((await rig.call("GET", "in-flight")) as object as InFlightView).calls

function declareSlow(name: string, more: Readonly<Record<string, string>> = {}): void {
  const spec = { path: rig.target(name), content: `${name}\n`, control, name, ...more }
  const object = { apiVersion: "test.setpoint.dev/v1", kind: "Slow", metadata: { name }, spec }
  writeFileSync(rig.manifest(name), JSON.stringify(object))
}

/** Waits for the first targets, so that the stop comes in the middle of the work. */
const underWay = () => waitFor("work is under way", () => made().length > 10 || made().length)

async function standsStill(): Promise<number> {
  await pause(300)
  const before = readdirSync(rig.targets).sort()
  await pause(700)
  expect(readdirSync(rig.targets).sort()).toEqual(before)
  return made().length
}

describe("stop in the middle of the work", () => {
  it("by a plain echo: nothing begins any more; resume lifts it, kill -9 does not", async () => {
    rig.declareMany(count)
    const started = rig.start()
    await underWay()
    echoStop()
    await started
    const stopped = await standsStill()
    console.log(`stopped after ${stopped} of ${count}`)
    expect(stopped).toBeLessThan(count)
    expect((await rig.status()).stops).toMatchObject([{ loop: "*", scope: "all" }])
    await rig.end("SIGKILL")
    await rig.start()
    expect(await standsStill()).toBe(stopped)
    await rig.call("POST", "resume", {})
    await rig.converged(count)
    expect(readdirSync(rig.targets)).toHaveLength(count)
  })

  it("by the API: nothing begins after its answer, nor after kill -9", async () => {
    rig.declareMany(count)
    await rig.start()
    await underWay()
    await rig.call("POST", "stop", { reason: "test" })
    const atAnswer = made().length
    expect(await standsStill()).toBe(atAnswer)
    await rig.end("SIGKILL")
    rmSync(stopFile())
    await rig.start()
    expect(existsSync(stopFile())).toBe(true)
    expect(await standsStill()).toBe(atAnswer)
    await rig.call("POST", "resume", {})
    await rig.converged(count)
  })

  it("heals nothing while stopped and says so in the object's status", async () => {
    const [first = ""] = rig.declareMany(3)
    await rig.start()
    await rig.converged(3)
    echoStop()
    rmSync(rig.target(first))
    await waitFor("the status says stopped", async () => {
      const { status } = (await rig.file(first)) ?? {}
      const text = JSON.stringify(status?.conditions)
      return (text.includes("Stopped") && text.includes("DIR/stop")) || text
    })
    expect(existsSync(rig.target(first))).toBe(false)
    await rig.call("POST", "resume", {})
    await waitFor("it is healed", () => existsSync(rig.target(first)))
  })
})

describe("stop while acts hang or the event loop is blocked", () => {
  const args = ["--provider", slowKind]

  itInFull("refuses the mutating call that comes after a block of 5 s", async () => {
    declareSlow("blocked")
    declareSlow("other")
    writeFileSync(join(control, "block-blocked"), "5000")
    const ended = rig.launch({ args })
    void ended
    await waitFor("the event loop is blocked", () => existsSync(join(control, "blocked-blocked")))
    const before = readdirSync(rig.targets)
    echoStop()
    await waitFor("the plane answers again", async () => {
      try {
        return (await rig.status()).stops.length === 1
      } catch (error) {
        return String(error)
      }
    })
    await pause(500)
    expect(readdirSync(rig.targets)).toEqual(before)
    const refused = (await rig.history()).flatMap(({ event }) =>
      event.type === "receipt" && event.action.target.endsWith("/blocked") ? [event.result] : [],
    )
    expect(refused).toEqual(["failed"])
    await rig.call("POST", "resume", {})
    await rig.converged(2)
    expect(made().sort()).toEqual(["blocked", "other"])
  })

  itInFull("lets no act go on that hung before its first mutating call", async () => {
    for (let index = 0; index < 5; index++) {
      declareSlow(`h${index}`)
      writeFileSync(join(control, `hang-h${index}`), "")
    }
    await rig.start({ args })
    await waitFor("all of them hang", () => {
      const hanging = readdirSync(control).filter((name) => name.startsWith("hanging-"))
      return hanging.length === 5 || hanging.length
    })
    echoStop()
    for (let index = 0; index < 5; index++) rmSync(join(control, `hang-h${index}`))
    await pause(700)
    expect(readdirSync(rig.targets)).toEqual([])
    await rig.end("SIGKILL")
    await rig.start({ args })
    expect(await standsStill()).toBe(0)
    await rig.call("POST", "resume", {})
    await rig.converged(5)
  })

  it.each(["api", "echo"])("lists a call in flight with its outcome (%s)", async (how) => {
    const waiting: ServerResponse[] = []
    const server = createServer((_, response) => void waiting.push(response))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    try {
      const address = server.address()
      const port = typeof address === "object" ? address?.port : 0
      declareSlow("remote", { url: `http://127.0.0.1:${port}/` })
      await rig.start({ args })
      await waitFor("the request is under way", () => waiting.length === 1 || waiting.length)
      if (how === "api") await rig.call("POST", "stop", {})
      else echoStop()
      expect(await inFlight()).toMatchObject([{ outcome: "running" }])
      waiting[0]?.end("{}")
      await waitFor("its outcome is known", async () => {
        const [call] = await inFlight()
        return call?.outcome === "done" || (call?.outcome ?? "none listed")
      })
      await pause(300)
      expect(readdirSync(rig.targets)).toEqual([])
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})

describe.skipIf(strace.missing)("stop at the system calls (strace)", () => {
  it.each(full ? ["echo", "api"] : ["echo"])(
    "looks at the stop file before every change (%s)",
    async (how) => {
      rig.declareMany(count)
      const file = join(rig.base, "trace")
      const started = rig.start({ prefix: straceCommand(file) })
      await underWay()
      if (how === "api") {
        await started
        await rig.call("POST", "stop", {})
      } else echoStop()
      const stoppedAt = Date.now() / 1000
      await started
      const left = await standsStill()
      await rig.end("SIGTERM")
      const trace = readFileSync(file, "utf8")
      const mutations = mutationsOf(trace, rig.pid, rig.targets, stopFile())
      console.log(`${how}: ${mutations.length} changes traced, ${left} of ${count} files`)
      expect(mutations.length).toBeGreaterThan(30)
      expect(left).toBeLessThan(count)
      expect(mutations.filter((one) => one.checks === 0)).toEqual([])
      expect(mutations.filter((one) => one.checkedAt > stoppedAt)).toEqual([])
    },
  )
})
