// The example DatabaseCluster on a real plane with real processes and a real name server, through
// losses that nobody has to attend to: of its primary, of a member for good, of all data.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { at, isObject, type Json, type JsonObject } from "../../src/base/json.ts"
import type { ApiObject } from "../../src/object/object.ts"
import {
  type NameServerProcess,
  startBind,
} from "../../src/providers/dns/adapter/testing/name-servers.ts"
import { requireTool } from "../tools.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

const clusters = { group: "example.setpoint.dev", version: "v1", resource: "databaseclusters" }
const processes = { group: "process.setpoint.dev", version: "v1", resource: "processes" }
const roles = { group: "example.setpoint.dev", version: "v1", resource: "databasemembers" }
const provider = resolve("examples/25-composition/cluster.ts")

const rig = new PlaneRig()
const directory = join(rig.base, "cluster")
const named = requireTool("named: -v", "dig: -v", "nsupdate: -V")
const zone = "example.org"
const dns = { zone: "zone", service: "kv", host: "db1.example.org.", ttl: 1 }
let server: NameServerProcess | undefined
let basePort = 0
/** What was acknowledged. */
const written = new Map<string, string>()

beforeAll(async () => {
  basePort = await freePorts(12)
  if (!named.missing) {
    mkdirSync(join(rig.base, "bind"))
    server = await startBind({ directory: join(rig.base, "bind"), zones: { [zone]: "" } })
    const spec = { name: zone, server: server.address, keyFile: server.keyFile }
    const object = {
      apiVersion: "dns.setpoint.dev/v1",
      kind: "DnsZone",
      metadata: { name: "zone" },
    }
    writeFileSync(rig.manifest("zone"), JSON.stringify({ ...object, spec }))
  }
  declare({})
  await rig.start({ args: ["--provider", provider] })
  await rig.loosen({ limits: { changes: 5000 } })
})

afterAll(async () => {
  await rig.end("SIGKILL")
  for (const pid of nodes()) process.kill(pid, "SIGKILL")
  await server?.stop("SIGKILL")
  await rig.close()
})

function declare(spec: JsonObject): void {
  const pace = { replaceAfterSeconds: 3, backupSeconds: 1 }
  const names = server === undefined ? {} : { dns }
  const all = { members: 3, directory, basePort, ...pace, ...names, ...spec }
  const object = { apiVersion: "example.setpoint.dev/v1", kind: "DatabaseCluster" }
  const text = JSON.stringify({ ...object, metadata: { name: "db" }, spec: all })
  writeFileSync(join(rig.site, "cluster.json.new"), text)
  renameSync(join(rig.site, "cluster.json.new"), join(rig.site, "cluster.yaml"))
}

/** So many ports in a row that nobody listens on. */
async function freePorts(count: number): Promise<number> {
  for (let base = 21_000 + (process.pid % 300) * 100; ; base += count) {
    const tries = Array.from({ length: count }, (_, index) => isFree(base + index))
    if ((await Promise.all(tries)).every((free) => free)) return base
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer()
    server.once("error", () => done(false))
    server.listen(port, "127.0.0.1", () => server.close(() => done(true)))
  })
}

/** Processes of the database, wherever they come from: their arguments name our folder. */
function running(): [pid: number, own: string][] {
  return readdirSync("/proc").flatMap((name): [number, string][] => {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0")
      const own = words.find((word) => word.startsWith(`${directory}/m`))
      return own === undefined ? [] : [[Number(name), own.slice(directory.length + 1)]]
    } catch {
      return []
    }
  })
}

const nodes = (): number[] => running().map(([pid]) => pid)
const names = (): string[] => [...new Set(running().map(([, own]) => own))].sort()

/** Without a status until its manifest was read. */
async function cluster(): Promise<Pick<ApiObject, "status">> {
  return (await rig.client.get({ ...clusters, namespace: "default", name: "db" })) ?? {}
}

const status = async (...path: string[]): Promise<Json | undefined> =>
  at((await cluster()).status, ...path)

async function condition(type: string): Promise<JsonObject> {
  const all = await status("conditions")
  const found = Array.isArray(all) ? all.find((one) => at(one, "type") === type) : undefined
  return isObject(found) ? found : {}
}

async function serves(what: string, members = 3): Promise<void> {
  await waitFor(what, async () => {
    const { ready } = (await cluster()).status ?? {}
    const { status: is } = await condition("Ready")
    return (is === "True" && ready === members) || (await story())
  })
}

/** How far it is, for a test that waits in vain. */
async function story(): Promise<string> {
  const list = async (resource: typeof clusters) =>
    (await rig.client.list(resource, { namespace: "default" })).items
  const objects = [...(await list(roles)), ...(await list(processes))]
  const lines = objects.map(({ kind, metadata, spec, status: told }) => {
    const going = metadata.deletionTimestamp === undefined ? "" : " (going)"
    const wish = `${spec?.role ?? ""} ${spec?.epoch ?? ""}`
    const why = firstMessage(told)
    return `${kind} ${metadata.name}${going} ${wish} ${JSON.stringify(at(told, "outputs"))} ${why}`
  })
  const { state } = (await cluster()).status ?? {}
  return [JSON.stringify(state), ...lines, rig.errors.slice(-500)].join("\n")
}

function firstMessage(told: JsonObject | undefined): string {
  const { conditions } = told ?? {}
  const [first] = Array.isArray(conditions) ? conditions : []
  return String(at(first, "message"))
}

const pidOf = async (own: string): Promise<number> => {
  const found = await rig.client.get({ ...processes, namespace: "default", name: `db-${own}` })
  return Number(at(found?.status, "outputs", "pid"))
}

const address = (): string => readFileSync(join(directory, "primary"), "utf8").trim()

async function send(to: string, key: string, value: string): Promise<boolean> {
  const init = { method: "PUT", body: value, signal: AbortSignal.timeout(4000) }
  const answer = await fetch(`http://${to}/kv/${key}`, init).catch(() => undefined)
  return answer?.status === 200
}

/** What the name server says of a service: the members whose ports it names. */
function inDns(service: string): string {
  const records = server?.dig(zone) ?? []
  const own = records.filter(([name, , , type]) => name === `${service}.${zone}.` && type === "SRV")
  const ports = own.map((fields) => Number(fields[4]?.split(" ")[2]))
  return ports
    .map((port) => `m${port - basePort}`)
    .sort()
    .join()
}

/** DNS names the primary that leads, and the members that there are. */
async function isInDns(): Promise<void> {
  if (server === undefined) return
  await waitFor("DNS names them", async () => {
    const [primary, all] = [inDns("_kv._tcp"), inDns("_kv-members._tcp")]
    const state = (await cluster()).status?.state
    const members = JSON.stringify(at(state, "members"))
    const right = primary === at(state, "primary") && JSON.stringify(all.split(",")) === members
    return right || `${primary}; ${all}; ${JSON.stringify(state)}`
  })
}

/** Writes until it is acknowledged, as a client does. */
async function put(key: string, value: string): Promise<void> {
  await waitFor(`${key} is written`, async () => send(address(), key, value), { everyMs: 50 })
  written.set(key, value)
}

async function putMany(prefix: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await put(`${prefix}${index}`, `value ${index}`)
}

async function lost(): Promise<string[]> {
  const missing: string[] = []
  for (const [key, value] of written) {
    const answer = await fetch(`http://${address()}/kv/${key}`).catch(() => undefined)
    if (answer?.status !== 200 || (await answer.json()) !== value) missing.push(key)
  }
  return missing
}

/** Ports of the nodes that take themselves for primary, with their epoch. */
async function primaries(): Promise<string[]> {
  const asked = Array.from({ length: 12 }, async (_, index) => {
    const signal = AbortSignal.timeout(1000)
    const url = `http://127.0.0.1:${basePort + index}/status`
    const answer = await fetch(url, { signal }).catch(() => undefined)
    const said = answer === undefined ? {} : ((await answer.json()) as JsonObject)
    return said.role === "primary" ? [`m${index}`] : []
  })
  return (await Promise.all(asked)).flat()
}

const saved = (): number => {
  try {
    const copy = JSON.parse(readFileSync(join(directory, "backup.json"), "utf8")) as { n: number }
    return copy.n
  } catch {
    return 0
  }
}

describe("a DatabaseCluster", () => {
  it("forms, with one primary, and takes writes", async () => {
    await serves("three members serve")
    expect(await primaries()).toEqual(["m0"])
    await isInDns()
    await putMany("first", 10)
    expect(await lost()).toEqual([])
  })

  it("survives the loss of its primary and replaces the member, without a person", async () => {
    const pid = await pidOf("m0")
    rmSync(join(directory, "m0"), { recursive: true })
    writeFileSync(join(directory, "m0"), "not a directory: the data is gone for good")
    process.kill(pid, "SIGKILL")
    await putMany("second", 10)
    await serves("a new member takes the place of the lost one")
    expect(await status("state", "members")).toEqual(["m1", "m2", "m3"])
    await isInDns()
    expect(await primaries()).toHaveLength(1)
    expect(await lost()).toEqual([])
    expect(await rig.pendingPlan()).toBeUndefined()
  })

  it("never lets two primaries acknowledge writes", async () => {
    const old = String(await status("primary"))
    const pid = await pidOf(old)
    const before = address()
    process.kill(pid, "SIGSTOP")
    await waitFor("another one leads", async () => {
      const now = await status("primary")
      return (now !== old && now !== "") || String(now)
    })
    await putMany("third", 5)
    process.kill(pid, "SIGCONT")
    expect(await send(before, "stale", "written to the old primary")).toBe(false)
    await serves("the old primary is a replica")
    await isInDns()
    expect(await primaries()).toHaveLength(1)
    expect(await lost()).toEqual([])
  })

  it("goes on when the plane itself is killed, with the same processes", async () => {
    const before = nodes().sort()
    await rig.end("SIGKILL")
    await putMany("fourth", 3)
    await rig.start({ args: ["--provider", provider] })
    await serves("the plane is back")
    expect(nodes().sort()).toEqual(before)
    expect(await lost()).toEqual([])
  })

  it("restores from its backup when all members have lost their data", async () => {
    const count = written.size
    await waitFor("the backup has everything", async () => saved() >= count || saved())
    for (const own of readdirSync(directory).filter((name) => /^m\d+$/.test(name))) {
      renameSync(join(directory, own), join(directory, `gone-${own}`))
    }
    for (const pid of nodes()) process.kill(pid, "SIGKILL")
    const back = async () => (await lost()).length === 0 || (await story())
    await waitFor("the data is back", back, { everyMs: 200 })
    await serves("all members serve again")
    await putMany("fifth", 3)
    expect(await lost()).toEqual([])
  })

  it("is scaled up and down", async () => {
    declare({ members: 4 })
    await serves("four serve", 4)
    declare({ members: 3 })
    await serves("three serve", 3)
    await putMany("sixth", 3)
    expect(await lost()).toEqual([])
    expect(await primaries()).toHaveLength(1)
    const members = JSON.stringify(await status("state", "members"))
    const ended = () => JSON.stringify(names()) === members || names().join()
    await waitFor("the fourth process has ended", ended)
    expect(await rig.pendingPlan()).toBeUndefined()
  })
})
