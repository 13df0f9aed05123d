// Invariants and signals on a real plane: real files, a real HTTP server, a real program, a real
// log and, where it is installed, a real PostgreSQL.

import { spawnSync } from "node:child_process"
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { at, type JsonObject } from "../../src/base/json.ts"
import { itInFull } from "../full.ts"
import { program } from "../program.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { PostgresRig, postgres } from "./plane/postgres-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

const of = (resource: string) => ({ group: "setpoint.dev", version: "v1alpha1", resource })

let rig: PlaneRig
let server: Server | undefined
let database: PostgresRig | undefined

beforeEach(() => {
  rig = new PlaneRig()
})
afterEach(async () => {
  await rig.close()
  server?.close()
  database?.close()
  server = undefined
  database = undefined
})

function make(kind: "Invariant" | "Signal", name: string, spec: JsonObject) {
  const resource = of(kind === "Signal" ? "signals" : "invariants")
  const metadata = { name, namespace: "default" }
  return rig.client.create(resource, {
    apiVersion: "setpoint.dev/v1alpha1",
    kind,
    metadata,
    spec,
  })
}

async function statusOf(resource: string, name: string): Promise<JsonObject> {
  const object = await rig.client.get({ ...of(resource), namespace: "default", name })
  return object?.status ?? {}
}

function reaches(resource: string, name: string, wanted: JsonObject): Promise<number> {
  return waitFor(`${name} is ${JSON.stringify(wanted)}`, async () => {
    const status = await statusOf(resource, name)
    const there = Object.entries(wanted).every(([key, value]) => status[key] === value)
    return there || JSON.stringify(status)
  })
}

/** The command line, against the running plane. */
function cli(...args: readonly string[]): string {
  const command = [program, "--data", rig.data, ...args]
  const { stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" })
  return `${stdout}${stderr}`
}

describe("an invariant over files", () => {
  const admins = "objects.exists(o, o.spec.content.contains('role: admin'))"

  beforeEach(async () => {
    rig.declare("ann", "role: admin\n")
    rig.declare("bob", "role: user\n")
    rig.declare("eve", "role: user\n")
    await rig.start()
    await rig.converged(3)
    const spec = { loop: "site", kinds: ["File"], expression: admins, for: "1s" }
    await make("Invariant", "one-admin", { ...spec, message: "somebody must be an admin" })
    await reaches("invariants", "one-admin", { state: "Holding" })
  })

  it("denies what would break it, and the command line names it", async () => {
    rig.declare("ann", "role: user\n")
    await waitFor("ann is denied", async () => {
      const found = JSON.stringify((await rig.file("ann"))?.status ?? {})
      return found.includes("InvariantBroken") || found
    })
    expect(readFileSync(rig.target("ann"), "utf8")).toBe("role: admin\n")
    expect(cli("explain", "file", "ann")).toContain("invariant one-admin")
    expect(cli("plan", rig.site)).toContain("it would break invariant one-admin")
    rig.declare("ann", "role: admin\n")
    await rig.converged(3)
    rmSync(rig.manifest("ann"))
    await waitFor("the prune is refused", async () => (await rig.files()).length === 3)
    await rig.client.call("POST", "/setpoint/v1/look")
    expect(existsSync(rig.target("ann"))).toBe(true)
    rig.declare("bob", "role: admin\n")
    await waitFor("ann may go when bob is an admin", async () => {
      await rig.client.call("POST", "/setpoint/v1/look")
      return !existsSync(rig.target("ann"))
    })
  })

  itInFull(
    "is shown as broken by get, describe and status, and is there after a restart",
    async () => {
      await rig.call("POST", "stop", { loop: rig.loop })
      writeFileSync(rig.target("ann"), "role: nobody\n")
      await reaches("invariants", "one-admin", { state: "Broken" })
      expect(cli("get", "invariants")).toMatch(/one-admin\s+Broken\s+site\s+somebody must be/)
      expect(cli("describe", "invariant", "one-admin")).toContain("somebody must be an admin")
      expect(cli("status")).toContain("invariant one-admin is Broken: somebody must be an admin")
      expect(cli("history", "--limit", "20")).toContain("invariant one-admin is Broken")
      await rig.end("SIGKILL")
      await rig.start()
      expect(cli("status")).toContain("invariant one-admin is Broken")
      writeFileSync(rig.target("ann"), "role: admin\n")
      await reaches("invariants", "one-admin", { state: "Holding" })
    },
  )
})

describe("signals", () => {
  itInFull("read HTTP, Prometheus, a program and a log, and say why they can't", async () => {
    const answers: Record<string, string> = {
      "/health": JSON.stringify({ queue: { depth: 17 } }),
      "/api/v1/query?query=up": JSON.stringify({
        status: "success",
        data: { resultType: "vector", result: [{ metric: {}, value: [1, "0.5"] }] },
      }),
    }
    const methods: string[] = []
    const opened = createServer((request, response) => {
      methods.push(request.method ?? "")
      const body = answers[request.url ?? ""]
      response.statusCode = body === undefined ? 404 : 200
      response.end(body ?? "nothing here")
    })
    server = opened
    await new Promise<void>((resolve) => opened.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(opened.address() as AddressInfo).port}`
    const log = join(rig.base, "app.log")
    writeFileSync(log, "ERROR long ago\n")
    const number = join(rig.base, "number")
    writeFileSync(number, "12.5\n")
    await rig.start({ args: ["--signal-command", "/bin/cat"] })
    const fast = { interval: "1s" }
    await make("Signal", "latency", { ...fast, http: { url: `${url}/health` } })
    await make("Signal", "depth", { ...fast, http: { url: `${url}/health`, read: "queue.depth" } })
    await make("Signal", "gone", { ...fast, http: { url: `${url}/none`, expectStatus: 200 } })
    await make("Signal", "up", { ...fast, prometheus: { url, query: "up" } })
    await make("Signal", "number", { ...fast, command: { argv: ["/bin/cat", number] } })
    await make("Signal", "rm", { ...fast, command: { argv: ["/bin/rm", number] } })
    await make("Signal", "errors", { ...fast, log: { path: log, pattern: "^ERROR" } })
    await reaches("signals", "depth", { value: 17, state: "Ok", stale: false })
    await reaches("signals", "up", { value: 0.5 })
    await reaches("signals", "number", { value: 12.5 })
    await reaches("signals", "errors", { value: 0 })
    appendFileSync(log, "ERROR one\nINFO two\nERROR three\n")
    await reaches("signals", "errors", { value: 2 })
    expect(at(await statusOf("signals", "latency"), "value")).toBeGreaterThanOrEqual(0)
    expect(at(await statusOf("signals", "gone"), "message")).toContain("404, not 200")
    expect(at(await statusOf("signals", "rm"), "message")).toContain("signals may not run it here")
    expect(existsSync(number)).toBe(true)
    expect(new Set(methods)).toEqual(new Set(["GET"]))
    expect(cli("get", "signals")).toMatch(/number\s+12.5\s+Ok/)
  })

  it.skipIf(postgres.missing)("read a number from PostgreSQL and stop deletes by it", async () => {
    database = new PostgresRig()
    rig.declare("a", "a\n")
    rig.declare("b", "b\n")
    await rig.start()
    await rig.converged(2)
    database.connect(rig.data, "main")
    const query = "select count(*) from pg_database"
    const spec = { interval: "1s", sql: { connection: "main", query } }
    await make("Signal", "databases", { ...spec, breach: { above: 1 } })
    await reaches("signals", "databases", { value: 3, state: "Breached" })
    const expression = "signals['databases'].state == 'Ok'"
    const about = { loop: "site", expression, signals: ["databases"], for: "1s" }
    await make("Invariant", "calm", { ...about, onBroken: "StopDeletes" })
    await reaches("invariants", "calm", { state: "Broken" })
    expect((await rig.status()).stops).toMatchObject([{ loop: "default.site", scope: "deletes" }])
  })
})
