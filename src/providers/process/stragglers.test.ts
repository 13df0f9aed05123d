// What a process leaves behind when it ends, and what only looks as if it had been left by it.

import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { systemClock, systemRandom } from "../../base/system.ts"
import { allPids, bootId, processFacts } from "../../provider/adapter/proc-files.ts"
import { sessionOf, ticksNow } from "../../provider/adapter/process-session.ts"
import { nodeProcesses } from "../../provider/adapter/processes.ts"
import { ProcessRig } from "./adapter/testing/process-rig.ts"

let rig: ProcessRig
const others: ChildProcess[] = []
/** Sleeps so long that nobody else does, so that it can be found without an environment. */
let seconds: number

beforeEach(() => {
  rig = new ProcessRig({ clock: systemClock, random: systemRandom })
  seconds = 100_000_000 + Math.floor(systemRandom.next() * 800_000_000)
})
afterEach(() => {
  for (const pid of sleeping()) process.kill(pid, "SIGKILL")
  for (const one of others.splice(0)) one.kill("SIGKILL")
  rig.close()
})

const until = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { timeout: 20_000, interval: 20 })

function sleeping(): number[] {
  return allPids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8") === `sleep\0${seconds}\0`
    } catch {
      return false
    }
  })
}

/** Has no environment any more, as programs that write their title over it, and ignores SIGTERM. */
const worker = () => `env -i sh -c 'trap "" TERM; exec sleep ${seconds}' &`
const master = () => ({
  command: ["sh", "-c", `${worker()} exec sleep 1000`],
  stopGraceSeconds: 0.3,
})

async function start(spec = master()): Promise<number> {
  expect(await rig.act("create", spec)).toEqual({ kind: "done" })
  await until(() => expect(sleeping()).toHaveLength(1))
  return Number((await rig.see(spec)).outputs?.pid)
}

describe("a worker without its environment", () => {
  test("ends when its master is stopped, although it outlived it", async () => {
    await start()
    const spec = { ...master(), state: "Stopped" }
    expect(await rig.correct(spec)).toEqual({ kind: "done" })
    expect(sleeping()).toEqual([])
    expect((await rig.see(spec)).outputs?.phase).toBe("Stopped")
  })

  test("ends also when nobody saw its master end, and before the next one begins", async () => {
    const pid = await start()
    const [before] = sleeping()
    process.kill(pid, "SIGKILL")
    Object.assign(rig.world, { processes: nodeProcesses() }) // Another plane: it knows nothing.
    await until(async () => expect((await rig.see(master())).outputs?.phase).toBe("Exited"))
    expect(sleeping()).toEqual([before])
    expect(await rig.correct(master())).toEqual({ kind: "done" })
    await until(() => expect(sleeping()).toHaveLength(1))
    expect(sleeping()).not.toContain(before)
  })

  test("is counted: what is to be stopped is not Stopped as long as it is there", async () => {
    const pid = await start()
    process.kill(pid, "SIGKILL")
    const spec = { ...master(), state: "Stopped" }
    const seen = await until(async () => {
      const found = await rig.see(spec)
      expect(found.outputs?.phase).toBe("Stopping")
      return found
    })
    expect(seen.value.state).toBe("Stopping")
    expect(await rig.correct(spec)).toEqual({ kind: "done" })
    expect((await rig.see(spec)).outputs?.phase).toBe("Stopped")
    expect(sleeping()).toEqual([])
  })

  test("ends with what was half stopped when the plane died", async () => {
    const pid = await start()
    process.kill(pid, "SIGTERM")
    await until(async () => expect((await rig.see(master())).outputs?.phase).toBe("Exited"))
    await rig.kind.cleanUp?.("one", rig.uid, rig.world)
    expect(sleeping()).toEqual([])
  })

  test("keeps the next one from beginning as long as it can't be ended", async () => {
    const pid = await start()
    process.kill(pid, "SIGKILL")
    await until(async () => expect((await rig.see(master())).outputs?.phase).toBe("Exited"))
    const { reap } = rig.world.processes
    Object.assign(rig.world.processes, { reap: async () => 0 })
    const result = await rig.correct(master())
    expect(result).toMatchObject({ kind: "failed", cause: expect.stringContaining("1 of the") })
    Object.assign(rig.world.processes, { reap })
    expect(await rig.correct(master())).toEqual({ kind: "done" })
  })

  test("stays when nothing proves whose it is", async () => {
    const pid = await start()
    // As if the pid had come round to somebody else's session, whose leader ended: nobody has seen
    // this master alive after the worker was born, and no shim wrote down when it ended.
    Object.assign(rig.world, { processes: nodeProcesses() })
    process.kill(pid, "SIGKILL")
    await until(() => expect(readFileSync(`${rig.placeOf("one")}/exit.1`, "utf8")).toBe("137\n"))
    rmSync(`${rig.placeOf("one")}/end.1`)
    const spec = { ...master(), state: "Stopped" }
    expect((await rig.see(spec)).outputs?.phase).toBe("Stopped")
    const { token } = await rig.see(spec)
    expect(await rig.act("delete", spec, { token })).toEqual({ kind: "done" })
    expect(sleeping()).toHaveLength(1)
  })
})

describe("a session", () => {
  test("is a run's own only if somebody in it was born while the leader lived", async () => {
    const before = ticksNow() - 1
    const leader = spawn("sh", ["-c", `sleep 0.05; ${worker()} wait`], { detached: true })
    others.push(leader)
    await until(() => expect(sleeping()).toHaveLength(1))
    const { pid = 0 } = leader
    const { startTime = "" } = processFacts(pid) ?? {}
    const after = ticksNow()
    leader.kill("SIGKILL")
    await until(() => expect(processFacts(pid)).toBeUndefined())
    const identity = { pid, startTime, bootId: bootId() }
    const found = (livedUntil: number, change = {}) =>
      sessionOf({ identity: { ...identity, ...change }, livedUntil }, () => false).map((one) => {
        return one.pid
      })
    expect(found(after)).toEqual(sleeping())
    expect(found(before)).toEqual([])
    expect(found(after, { bootId: "another" })).toEqual([])
    expect(found(after, { startTime: String(after + 1) })).toEqual([])
  })
})
