// Five replicas under load through a balancer, on a real plane: replicas that are killed, hang or
// can't serve, a good version, a bad one, and a plane that is killed in the middle of a rollout.
// Not one request may fail.

import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { full } from "../full.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { freePorts, Load, pidsWith } from "./plane/process-rig.ts"
import { type Reached, waitFor as waitUntil } from "./plane/wait-for.ts"

const group = { group: "process.setpoint.dev", version: "v1" } as const
const server = fileURLToPath(new URL("../fixtures/web-server.ts", import.meta.url))
const clients = 4
/** A busy machine is no reason to call a server dead. */
const patient = { periodSeconds: 0.3, timeoutSeconds: 3 }
const deadlineMs = 140_000

const waitFor = (what: string, condition: () => Reached | Promise<Reached>) =>
  waitUntil(what, condition, { deadlineMs, everyMs: 50 })

describe("a set of five behind a balancer", () => {
  const rig = new PlaneRig()
  const unready = join(rig.base, "unready")
  const running = () => pidsWith(server, `UNREADY_DIR=${unready}`)
  let port = 0
  let load: Load

  beforeAll(async () => {
    mkdirSync(unready)
    port = await freePorts(20)
    await rig.start()
    await rig.loosen()
    declare("v1", 3)
    declareBalancer()
    await settled("v1", 3)
  })
  afterAll(async () => {
    await load?.stop()
    await rig.close()
    const balancers = pidsWith("balancer", `SETPOINT_PORT=${port + 10}`)
    for (const pid of [...running(), ...balancers]) process.kill(pid, "SIGKILL")
    await waitFor("all ended", () => running().length === 0)
    rmSync(rig.base, { recursive: true, force: true })
  })

  const write = (name: string, kind: string, spec: JsonObject) => {
    const object = { apiVersion: "process.setpoint.dev/v1", kind, metadata: { name }, spec }
    writeFileSync(rig.manifest(name), `${JSON.stringify(object)}\n`)
  }
  const declare = (version: string, replicas = 5, progressDeadlineSeconds = 120) =>
    write("web", "ProcessSet", {
      replicas,
      ports: { base: port },
      drainSeconds: 0,
      strategy: { maxSurge: 2, minReadySeconds: 0, progressDeadlineSeconds },
      template: {
        command: [process.execPath, server],
        env: { VERSION: version, UNREADY_DIR: unready },
        backoff: { initialSeconds: 0 },
        stopGraceSeconds: 2,
        probes: {
          startup: { http: {}, periodSeconds: 0.1, failureThreshold: 600 },
          readiness: { ...patient, http: { path: "/ready" }, failureThreshold: 2 },
          liveness: { ...patient, http: {}, failureThreshold: 3 },
        },
      },
    })
  const declareBalancer = () =>
    write("front", "Balancer", {
      listen: { port: port + 9 },
      backends: { set: "web" },
      configFile: rig.target("front.json"),
      health: { base: port + 10 },
      waitSeconds: 20,
      retryBeforeFirstByte: true,
    })

  const get = (resource: string, name: string) =>
    rig.client.get({ ...group, resource, namespace: "default", name })
  const replicas = async (): Promise<readonly ApiObject[]> => {
    const { items } = await rig.client.list(
      { ...group, resource: "processes" },
      { namespace: "default" },
    )
    return items.filter(({ metadata }) => metadata.name.startsWith("web-"))
  }
  const pidOf = ({ status }: ApiObject): number => Number(Object(status?.outputs).pid ?? 0)
  const pids = async () => (await replicas()).map(pidOf).sort()
  const versionOf = ({ spec }: ApiObject) => String(Object(spec?.env).VERSION)
  const progress = async () => {
    const conditions = (await get("processsets", "web"))?.status?.conditions
    const all = Array.isArray(conditions) ? conditions.map(Object) : []
    return String(all.find(({ type }) => type === "Progressing")?.reason)
  }
  const backends = async () => Number((await get("balancers", "front"))?.status?.backends)

  /** All replicas of this version, all of them in service. */
  const settled = (version: string, count = 5) =>
    waitFor(`${count} of ${version} serve`, async () => {
      const all = await replicas()
      const said = `${all.map(versionOf)} ${await progress()} ${await backends()}`
      // It won't come any more: what was declared is given up until it is declared anew.
      if ((await progress()) === "RolledBack") throw new Error(`it went back: ${said}`)
      const right = all.length === count && all.every((one) => versionOf(one) === version)
      const seen = right && (await progress()) === "Complete" && (await backends()) === count
      return (seen && running().length === count) || said
    })
  const unfailed = () => expect(load.failures).toEqual([])

  it("starts two when five are declared and three run", async () => {
    const before = await pids()
    declare("v1")
    await settled("v1")
    const after = await pids()
    expect(before.filter((pid) => after.includes(pid))).toEqual(before)
    expect(running().sort()).toEqual(after)
  })

  it("loses no request when two are killed", async () => {
    load = new Load(port + 9, clients)
    await load.more(100)
    const doomed = (await pids()).slice(0, 2)
    for (const pid of doomed) process.kill(pid, "SIGKILL")
    await waitFor("both run again", async () => {
      const now = await pids()
      return !doomed.some((pid) => now.includes(pid)) && now.every((pid) => pid > 0)
    })
    await settled("v1")
    await load.more(100)
    unfailed()
  })

  it("loses no request when one hangs", async () => {
    const [hung = 0] = await pids()
    process.kill(hung, "SIGSTOP")
    await waitFor("it is replaced", async () => !(await pids()).includes(hung))
    await settled("v1")
    await load.more(100)
    unfailed()
  })

  it("sends nobody to a replica that can't serve", async () => {
    const [first] = await replicas()
    const slot = first?.metadata.labels?.["process.setpoint.dev/slot"] ?? ""
    writeFileSync(join(unready, slot), "")
    try {
      await waitFor("four serve", async () => (await backends()) === 4)
      const key = `v1 ${first === undefined ? 0 : pidOf(first)}\n`
      const moreFor = async (answers: number) => {
        const before = load.answers.get(key)
        await load.more(answers)
        return (load.answers.get(key) ?? 0) - (before ?? 0)
      }
      // Those that were on their way when it was taken out are still answered.
      await waitFor("its last clients are served", async () => (await moreFor(40)) === 0)
      expect(await moreFor(100)).toBe(0)
    } finally {
      rmSync(join(unready, slot))
    }
    await settled("v1")
    unfailed()
  })

  it("rolls out a good version without losing a request", async () => {
    const before = await pids()
    declare("v2")
    await settled("v2")
    expect((await pids()).filter((pid) => before.includes(pid))).toEqual([])
    await load.more(100)
    unfailed()
  })

  it("goes back from a bad version by itself", async () => {
    const before = await pids()
    declare("bad", 5, 4)
    await waitFor("it went back", async () => {
      return (await progress()) === "RolledBack" && (await replicas()).length === 5
    })
    await waitFor("five serve", async () => (await backends()) === 5)
    expect(await pids()).toEqual(before)
    expect(running().sort()).toEqual(before)
    unfailed()
  })

  /** Kills the plane as soon as so many replicas of a version run; the pids that are left. */
  const killAt = async (version: string, count: number): Promise<number[]> => {
    await waitFor(`${count} of ${version} run`, async () => {
      const all = await replicas()
      return all.filter((one) => versionOf(one) === version && pidOf(one) > 0).length >= count
    })
    await rig.end("SIGKILL")
    const left = running()
    await load.more(100)
    expect(running()).toEqual(left)
    return left
  }

  it("goes on with a rollout after kill -9 of the plane, with the same processes", async () => {
    declare("v3")
    const left = await killAt("v3", 2)
    await rig.start()
    const kept = new Set<number>()
    await waitFor("the rest is replaced", async () => {
      const all = (await replicas()).filter((one) => pidOf(one) > 0)
      const old = all.filter((one) => versionOf(one) !== "v3")
      for (const one of old) kept.add(pidOf(one))
      return old.length === 0
    })
    // Nothing of the old version was started again, and nothing of the new one twice.
    expect([...kept].filter((pid) => !left.includes(pid))).toEqual([])
    await settled("v3")
    const after = await pids()
    expect(left.filter((pid) => !kept.has(pid)).every((pid) => after.includes(pid))).toBe(true)
    await load.more(100)
    unfailed()
  })

  it.runIf(full)("goes on however often the plane is killed", async () => {
    for (let version = 4; version < 8; version++) {
      declare(`v${version}`)
      for (const count of [1, 3, 5]) {
        await killAt(`v${version}`, count)
        await rig.start()
      }
      await settled(`v${version}`)
      unfailed()
    }
  })

  it("was under load all the time", async () => {
    await load.stop()
    unfailed()
    expect(load.asked).toBeGreaterThan(800)
  })
})
