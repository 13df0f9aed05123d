// The kind Process against real processes: what is started, how it ends, and what is never done.

import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { getPriority } from "node:os"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { disarm } from "../../base/protections.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import type { ProcessesAct } from "../../contract/processes.ts"
import { ProcessRig, runningBelow } from "./adapter/testing/process-rig.ts"

const open: (() => void)[] = []
let rig: ProcessRig

beforeEach(() => {
  rig = new ProcessRig({ clock: systemClock, random: systemRandom })
})
afterEach(() => {
  for (const close of open.splice(0)) close()
  rig.close()
})

const sleeper = { command: ["sleep", "1000"] }
const shellEnv = { command: ["env", "LD_BIND_NOW=1", "sleep", "1000"] }
const shell = (script: string, ...rest: string[]) => ["sh", "-c", script, "sh", ...rest]

const until = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { timeout: 20_000, interval: 20 })

async function ended(spec: JsonObject, phase: string) {
  return until(async () => {
    const seen = await rig.see(spec)
    expect(seen.outputs?.phase).toBe(phase)
    return seen
  })
}

const logText = async (id = "one") => {
  const page = await rig.world.processes.log(rig.placeOf(id), { bytesMax: 100_000 })
  return page.text
}

async function start(spec: JsonObject): Promise<number> {
  expect(await rig.act("create", spec)).toEqual({ kind: "done" })
  return Number((await rig.see(spec)).outputs?.pid)
}

describe("what is started", () => {
  test("gets its arguments and environment as they are, and nothing of the plane's", async () => {
    vi.stubEnv("SECRET_OF_THE_PLANE", "x")
    const odd = ["a b", "$(touch /tmp/no)", "'\"\n", "ü", "-n", ""]
    const spec = {
      command: ["sh", "-c", 'env; for one; do printf "<%s>" "$one"; done', "sh", ...odd],
      env: { KEY: "$HOME `id`\n2", log: "mine", run: "mine", PATH: "/usr/bin:/bin" },
      cwd: "/usr",
      restart: "Never",
    }
    await start(spec)
    await ended(spec, "Completed")
    const text = await logText()
    expect(text).toContain(odd.map((one) => `<${one}>`).join(""))
    for (const line of ["KEY=$HOME `id`\n2\n", "log=mine\n", "run=mine\n", "PWD=/usr\n"]) {
      expect(text).toContain(line)
    }
    expect(text).toContain("SETPOINT_ID=one\n")
    expect(text).not.toContain("SECRET_OF_THE_PLANE")
    vi.unstubAllEnvs()
  })

  test("is known again by a plane that knows nothing, with the same pid", async () => {
    const pid = await start(sleeper)
    rig.kind = rig.newKind()
    const seen = await rig.see(sleeper)
    expect(seen.outputs).toMatchObject({ pid, phase: "Running", ready: true, restarts: 0 })
    expect(seen.mark).toBe(rig.uid)
    expect((await rig.act("create", sleeper)).kind).toBe("failed")
    // A program that is being loaded shows no environment yet.
    await until(() => expect(rig.running()).toHaveLength(1))
  })

  test("never shows a secret among the open variables, whatever is declared openly", async () => {
    const secretEnv = [{ name: "TOKEN", value: "old secret" }]
    const both = { ...sleeper, env: { A: "1", TOKEN: "open" }, secretEnv }
    await start(both)
    const seen = await rig.see(both)
    expect(seen.value.env).toEqual({ A: "1", TOKEN: "open" })
    expect(seen.value.secretEnv).toEqual(secretEnv)
    const opened = await rig.see({ ...sleeper, env: { A: "1", TOKEN: "open" } })
    expect(opened.value.env).toEqual({ A: "1" })
    expect(opened.value.secretEnv).toEqual(secretEnv)
  })

  test("is replaced when command, environment or a secret changes, and else stays", async () => {
    const secretEnv = [{ name: "TOKEN", value: "old secret" }]
    const spec = { ...sleeper, env: { A: "1" }, secretEnv }
    const first = await start(spec)
    const seen = await rig.see(spec)
    expect(seen.value).toMatchObject({ env: { A: "1" }, secretEnv, command: sleeper.command })
    const other = { ...spec, secretEnv: [{ name: "TOKEN", value: "new secret" }] }
    expect((await rig.see(other)).value.secretEnv).toEqual(secretEnv)
    expect(await rig.correct(other, ["secretEnv"])).toEqual({ kind: "done" })
    const second = (await rig.see(other)).outputs
    expect(second).toMatchObject({ restarts: 0, run: 2 })
    expect(second?.pid).not.toBe(first)
    await until(() => expect(rig.running()).toHaveLength(1))
    await rig.correct({ ...other, probes: { liveness: { tcp: { port: 1 } } } })
    expect((await rig.see(other)).outputs?.pid).toBe(second?.pid)
  })

  test("leaves no secret in its place", async () => {
    const spec = { ...sleeper, secretEnv: [{ name: "TOKEN", value: "correct horse battery" }] }
    await start(spec)
    const place = rig.placeOf("one")
    const names = readdirSync(place, { withFileTypes: true }).filter((one) => one.isFile())
    const texts = names.map(({ name }) => readFileSync(`${place}/${name}`, "utf8"))
    expect(texts.join("")).toContain("TOKEN")
    expect(texts.join("")).not.toContain("correct horse")
  })

  test("runs within its limits", async () => {
    const script = "ulimit -n; ulimit -d; nice"
    const limits = { openFiles: 77, memoryBytes: 104_857_600, nice: 7 }
    const spec = { command: shell(script), limits, restart: "Never" }
    await start(spec)
    await ended(spec, "Completed")
    expect(await logText()).toBe(`77\n102400\n${Math.min(19, getPriority() + 7)}\n`)
  })

  test.skipIf(process.getuid?.() !== 0)("runs as another user when root says so", async () => {
    const spec = { command: shell("id -u; id -G; echo $HOME $USER"), user: "nobody" }
    await start({ ...spec, restart: "Never" })
    await ended({ ...spec, restart: "Never" }, "Completed")
    expect(await logText()).toMatch(/^65534\n65534\n\S+ nobody\n$/)
    const nobody = { ...sleeper, id: "two", user: "no-such-user" }
    await expect(rig.act("create", nobody)).rejects.toThrow("there is no such user")
    const preloading = { ...sleeper, id: "three", user: "nobody", env: { LD_PRELOAD: "/tmp/x.so" } }
    await expect(rig.act("create", preloading)).rejects.toThrow("LD_PRELOAD would work before")
    const later = { ...shellEnv, id: "four", user: "nobody" }
    expect(await rig.act("create", later)).toEqual({ kind: "done" })
  })
})

describe("what ends", () => {
  test("is started again: at once, and then with growing delays", async () => {
    const spec = { command: shell("exit 3"), backoff: { initialSeconds: 1000 } }
    await start(spec)
    const first = await ended(spec, "Exited")
    expect(first.value.state).toBe("Exited")
    expect(first.outputs).toMatchObject({ exitCode: 3, ready: false })
    expect(await rig.correct(spec)).toEqual({ kind: "done" })
    const second = await ended(spec, "BackOff")
    expect(second.value.state).toBe("Running")
    expect(second.outputs).toMatchObject({ restarts: 1, run: 2 })
    expect(second.waiting).toMatchObject({ reason: "BackOff" })
    open.push(disarm("restarts-back-off"))
    expect((await rig.see(spec)).outputs?.phase).toBe("Exited")
  })

  test("stays ended where the policy says so", async () => {
    const good = { id: "good", command: ["true"], restart: "OnFailure" }
    const bad = { id: "bad", command: ["false"], restart: "OnFailure" }
    const never = { id: "never", command: ["false"], restart: "Never" }
    for (const spec of [good, bad, never]) await start(spec)
    expect((await ended(good, "Completed")).value.state).toBe("Running")
    expect((await ended(bad, "Exited")).value.state).toBe("Exited")
    expect((await ended(never, "Failed")).waiting).toMatchObject({ reason: "Failed" })
  })

  test("is told how: by a signal, by a program that is not there, by nobody", async () => {
    const pid = await start(sleeper)
    process.kill(pid, "SIGKILL")
    expect((await ended(sleeper, "Exited")).outputs?.exitCode).toBe(137)
    const missing = { id: "two", command: ["/no/such/program"], restart: "Never" }
    await start(missing)
    expect((await ended(missing, "Failed")).outputs?.exitCode).toBe(127)
    expect(await logText("two")).toContain("No such file")
    const third = { ...sleeper, id: "three" }
    const unseen = await start(third)
    const place = rig.placeOf("three")
    const shim = runningBelow(rig.root).find((one) => one.place === place && one.pid !== unseen)
    process.kill(shim?.pid ?? 0, "SIGKILL")
    expect((await rig.see(third)).outputs).toMatchObject({ phase: "Running", pid: unseen })
    process.kill(unseen, "SIGKILL")
    const seen = await ended(third, "Exited")
    expect(seen.outputs?.exitCode).toBeUndefined()
    expect(await rig.correct(third)).toEqual({ kind: "done" })
    expect(rig.running("three")).toHaveLength(1)
  })

  test("is lost when the machine was started anew, and begins again", async () => {
    await start(sleeper)
    const place = rig.placeOf("one")
    const run = readFileSync(`${place}/run.1`, "utf8")
    process.kill(Number(run.split(" ")[0]), "SIGKILL")
    await ended(sleeper, "Exited")
    rmSync(`${place}/exit.1`)
    const boot = rig.world.processes.bootId()
    writeFileSync(`${place}/run.1`, run.replace(boot, "another-boot"))
    const seen = await rig.see(sleeper)
    expect([seen.outputs?.phase, seen.value.state]).toEqual(["Lost", "Lost"])
    writeFileSync(`${place}/run.1`, "") // As a power failure may leave it.
    await expect(rig.see(sleeper)).rejects.toThrow("it is not what the plane or its shim writes")
    const order = readFileSync(`${place}/order.1`, "utf8")
    writeFileSync(`${place}/order.1`, order.replace(boot, "another-boot"))
    expect((await rig.see(sleeper)).outputs?.phase).toBe("Lost")
    expect(await rig.correct(sleeper)).toEqual({ kind: "done" })
    expect((await rig.see(sleeper)).outputs).toMatchObject({ phase: "Running", run: 2 })
  })
})

describe("stopping", () => {
  const stubborn = {
    command: shell("trap '' TERM; sleep 1000 & setsid sleep 1001 & wait; wait"),
    stopGraceSeconds: 0.3,
  }

  test("ends what ignores the signal, its children, and what left its group", async () => {
    await start(stubborn)
    await until(() => expect(rig.running().map(({ argv }) => argv[1])).toContain("1001"))
    const { token } = await rig.see(stubborn)
    expect(await rig.act("delete", stubborn, { token })).toEqual({ kind: "done" })
    await until(() => expect(runningBelow(rig.root)).toEqual([]))
    expect(await rig.observe(stubborn)).toMatchObject({ kind: "absent" })
    expect(readdirSync(rig.root)).toEqual([])
  })

  test("twin: without reaping a straggler stays", async () => {
    await start(stubborn)
    await until(() => expect(rig.running().map(({ argv }) => argv[1])).toContain("1001"))
    open.push(disarm("stragglers-are-killed"))
    const { token } = await rig.see(stubborn)
    await rig.act("delete", stubborn, { token })
    expect(rig.running().map(({ argv }) => argv[1])).toContain("1001")
  })

  test("starts nothing beside what survives SIGKILL, and says so", async () => {
    const spec = { command: shell("trap '' TERM; echo up; while :; do sleep 0.05; done") }
    const pid = await start({ ...spec, stopGraceSeconds: 0 })
    await until(async () => expect(await logText()).toContain("up"))
    const { signal, gone, reap } = rig.world.processes
    // As a kernel does that holds it in a call which does not return.
    const held: Partial<ProcessesAct> = {
      signal: async (who, name) => (name === "SIGKILL" ? true : signal(who, name)),
      gone: (who, limitMs, aborted) => gone(who, Math.min(limitMs, 200), aborted),
      reap: async () => 0,
    }
    Object.assign(rig.world.processes, held)
    const next = { ...spec, stopGraceSeconds: 0, env: { A: "2" } }
    for (const verb of ["update", "delete"] as const) {
      const { token } = await rig.see(next)
      const result = await rig.act(verb, next, { token, changes: ["env"] })
      expect(result).toMatchObject({ kind: "failed", cause: "it does not end after SIGKILL" })
    }
    expect((await rig.see(next)).outputs).toMatchObject({ pid, run: 1, phase: "Running" })
    Object.assign(rig.world.processes, { signal, gone, reap })
    expect(await rig.correct(next, ["env"])).toEqual({ kind: "done" })
    expect((await rig.see(next)).outputs).toMatchObject({ run: 2, phase: "Running" })
  })

  test("uses the declared signal, and waits for a graceful end", async () => {
    const script = "trap 'echo bye; exit 0' INT; echo up; while :; do sleep 0.05; done"
    const spec = { command: shell(script), stopSignal: "SIGINT" }
    await start(spec)
    await until(async () => expect(await logText()).toContain("up"))
    await rig.correct({ ...spec, state: "Stopped" })
    // On a busy machine the shim may write down the end a moment after it was seen.
    await until(async () => {
      const seen = await rig.see({ ...spec, state: "Stopped" })
      expect(seen.outputs).toMatchObject({ phase: "Stopped", exitCode: 0 })
    })
    // So may what it said last come a moment after its end.
    await until(async () => expect(await logText()).toBe("up\nbye\n"))
    const again = await rig.see(spec, { ...spec, state: "Stopped" })
    expect(again.value.state).toBe("Stopped")
    const { token } = again
    const applied = { ...spec, state: "Stopped" }
    const result = await rig.act("update", spec, { token, applied, changes: ["state"] })
    expect(result).toEqual({ kind: "done" })
    expect((await rig.see(spec)).outputs).toMatchObject({ phase: "Running", restarts: 0 })
  })

  test("never hits a process that only has the same pid", async () => {
    const pid = await start(sleeper)
    const { processes } = rig.world
    const { startTime = "" } = processes.facts(pid) ?? {}
    const identity = { pid, startTime, bootId: processes.bootId() }
    const older = { ...identity, startTime: String(Number(startTime) - 1) }
    expect(await processes.signal(older, "SIGKILL")).toBe(false)
    expect(await processes.signal({ ...identity, bootId: "other" }, "SIGKILL")).toBe(false)
    expect((await rig.see(sleeper)).outputs?.pid).toBe(pid)
    open.push(disarm("pid-reuse-is-noticed"))
    expect(await processes.signal(older, "SIGKILL")).toBe(true)
    await ended(sleeper, "Exited")
  })
})

describe("a crash of the plane", () => {
  /** The order is written, and the plane dies before, or just when, the shim starts. */
  const order = (id: string) => {
    const order = { boot: rig.world.processes.bootId(), note: { command: ["sleep", "1"] } }
    writeFileSync(`${rig.placeOf(id)}/order.1`, JSON.stringify(order))
  }

  test("between order and start makes one process, never two", async () => {
    await rig.world.processes.reserve(rig.placeOf("one"))
    order("one")
    const seen = await rig.see(sleeper)
    expect(seen.value.state).toBe("Unstarted")
    expect(await rig.correct(sleeper)).toEqual({ kind: "done" })
    const { signal } = new AbortController()
    const late = { directory: rig.placeOf("one"), run: 1, note: {}, argv: ["sleep", "9"], env: {} }
    await expect(rig.world.processes.start(late, signal)).rejects.toThrow("was faster")
    await until(() => expect(rig.running()).toHaveLength(1))
    expect((await rig.see(sleeper)).outputs).toMatchObject({ phase: "Running", run: 2 })
  })

  test("lets a shim that comes late begin nothing", async () => {
    const directory = rig.placeOf("one")
    await rig.world.processes.reserve(directory)
    expect(await rig.world.processes.cancel(directory, 1)).toBe(true)
    const { signal } = new AbortController()
    const late = { directory, run: 1, note: {}, argv: ["sleep", "9"], env: {} }
    await expect(rig.world.processes.start(late, signal)).rejects.toThrow("was faster")
    await until(() => expect(runningBelow(rig.root)).toEqual([]))
  })

  test("and two planes that start the same run make one process", async () => {
    const { signal } = new AbortController()
    const directory = rig.placeOf("one")
    const request = { directory, run: 1, note: {}, argv: ["sleep", "9"], env: {} }
    const both = await Promise.allSettled([
      rig.world.processes.start(request, signal),
      rig.world.processes.start(request, signal),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
    await until(() => expect(rig.running()).toHaveLength(1))
  })

  test("a copy of a data directory does not touch the original's processes", async () => {
    const pid = await start(sleeper)
    cpSync(rig.placeOf("one"), rig.placeOf("copy"), { recursive: true })
    await expect(rig.see({ ...sleeper, id: "copy" })).rejects.toThrow("which exists")
    renameSync(rig.placeOf("one"), rig.placeOf("moved"))
    rmSync(rig.placeOf("copy"), { recursive: true })
    expect((await rig.see({ ...sleeper, id: "moved" })).outputs?.pid).toBe(pid)
  })

  test("leaves no straggler behind: what was half stopped is cleaned up", async () => {
    const spec = { command: shell("setsid sleep 1001 & sleep 1000") }
    const pid = await start(spec)
    await until(() => expect(rig.running().map(({ argv }) => argv[1])).toContain("1001"))
    await rig.kind.cleanUp?.("one", rig.uid, rig.world)
    expect((await rig.see(spec)).outputs?.pid).toBe(pid)
    process.kill(-pid, "SIGKILL")
    await ended(spec, "Exited")
    await rig.kind.cleanUp?.("one", rig.uid, rig.world)
    await until(() => expect(rig.running()).toEqual([]))
  })

  test("a process whose place was removed by hand is not started a second time", async () => {
    await start(sleeper)
    rmSync(rig.placeOf("one"), { recursive: true })
    const fresh = new ProcessRig({ clock: systemClock, random: systemRandom })
    open.push(() => fresh.close())
    const looked = fresh.world.processes.look(rig.placeOf("one"))
    await expect(looked).rejects.toThrow("it is gone, and process")
    open.push(disarm("lost-place-is-doubt"))
    expect(await fresh.world.processes.look(rig.placeOf("one"))).toBeUndefined()
  })
})
