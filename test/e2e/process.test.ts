// Gate: processes under a real plane: five declared and three running become five; what is killed
// comes back, what hangs is restarted, a killed plane changes nothing.

import { spawn } from "node:child_process"
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { isObject, type JsonObject } from "../../src/base/json.ts"
import {
  killAllBelow,
  runningBelow,
} from "../../src/providers/process/adapter/testing/process-rig.ts"
import { compiled, program } from "../program.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

const rig = new PlaneRig()
const names = ["web-0", "web-1", "web-2", "web-3", "web-4"]
const resource = {
  ...{ group: "process.setpoint.dev", version: "v1", resource: "processes" },
  namespace: "default",
}

const hangs = (name: string) => rig.target(`${name}.hangs`)

/** Says no as soon as the file is there; a busy machine has time to answer. */
const probeOf = (name: string): JsonObject => ({
  exec: { command: ["test", "!", "-e", hangs(name)] },
  ...{ periodSeconds: 0.5, timeoutSeconds: 60 },
})

function declare(name: string, spec: JsonObject = {}): void {
  const probes = { liveness: probeOf(name), readiness: { ...probeOf(name), failureThreshold: 1 } }
  const whole = {
    command: ["sh", "-c", 'echo "up $COLOR"; exec sleep 1000'],
    env: { COLOR: "blue" },
    ...(name === "web-2" ? { probes } : {}),
    backoff: { initialSeconds: 0.5 },
    ...spec,
  }
  const metadata = { name }
  const object = { apiVersion: "process.setpoint.dev/v1", kind: "Process", metadata, spec: whole }
  writeFileSync(rig.manifest(name), JSON.stringify(object))
}

async function outputs(name: string): Promise<JsonObject> {
  const object = await rig.client.get({ ...resource, name })
  const found = object?.status?.outputs
  return isObject(found) ? found : {}
}

const pidsNow = () => {
  const programs = runningBelow(join(rig.data, "processes"))
  return programs.filter(({ argv }) => argv[0] === "sleep").map(({ pid }) => pid)
}
const pidsOf = () => Promise.all(names.map(async (name) => (await outputs(name)).pid))

function cli(...words: string[]): { text: () => string; ended: Promise<number>; stop(): void } {
  const env = { ...process.env, NODE_COMPILE_CACHE: compiled, NO_COLOR: "1" }
  const child = spawn(process.execPath, [program, "--data", rig.data, ...words], { env })
  let text = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      text += String(chunk)
    })
  }
  const ended = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? -1)))
  return { text: () => text, ended, stop: () => void child.kill("SIGINT") }
}

beforeAll(async () => {
  for (const name of names) declare(name)
  await rig.start()
  await rig.converged(names.length)
})
afterAll(async () => {
  await rig.end("SIGKILL")
  killAllBelow(join(rig.data, "processes"))
  await rig.close()
})

test("five are declared and three run: two are started, the three are left alone", async () => {
  const before = await pidsOf()
  expect(pidsNow().sort()).toEqual([...before].sort())
  const [first, second] = before
  for (const pid of [first, second]) process.kill(Number(pid), "SIGKILL")
  await waitFor("five run again", () => {
    const now = pidsNow()
    return now.length === 5 && !now.some((pid) => pid === first || pid === second)
  })
  await waitFor("the status says so", async () => {
    const { phase, ready } = await outputs("web-0")
    return (phase === "Running" && ready === true) || `${String(phase)} ${String(ready)}`
  })
  await rig.converged(names.length)
  const after = await pidsOf()
  expect(after.slice(2)).toEqual(before.slice(2))
  expect(await outputs("web-0")).toMatchObject({ phase: "Running", ready: true, restarts: 1 })
})

test("one that hangs is restarted by its liveness probe, and is not ready meanwhile", async () => {
  const { pid } = await outputs("web-2")
  writeFileSync(hangs("web-2"), "")
  await waitFor("it is not ready", async () => (await outputs("web-2")).ready === false)
  await waitFor("it was stopped", () => !pidsNow().includes(Number(pid)))
  rmSync(hangs("web-2"))
  await rig.converged(names.length)
  expect((await outputs("web-2")).pid).not.toBe(pid)
  expect(pidsNow()).toHaveLength(5)
})

test("a killed plane changes nothing: same pids, all ready, nothing twice", async () => {
  const before = await pidsOf()
  await rig.end("SIGKILL")
  expect(pidsNow().sort()).toEqual([...before].sort())
  await rig.start()
  await rig.converged(names.length)
  expect(await pidsOf()).toEqual(before)
  expect(pidsNow()).toHaveLength(5)
  const lost = before[4]
  await rig.end("SIGKILL")
  process.kill(Number(lost), "SIGKILL")
  await rig.start()
  await waitFor("what ended meanwhile is back", () => pidsNow().length === 5)
  await rig.converged(names.length)
  expect((await pidsOf()).slice(0, 4)).toEqual(before.slice(0, 4))
})

test("another command or environment replaces the process, another probe does not", async () => {
  const before = await pidsOf()
  declare("web-0", { env: { COLOR: "green" } })
  declare("web-1", { probes: { readiness: probeOf("web-1") } })
  await waitFor("it is replaced", async () => (await outputs("web-0")).pid !== before[0])
  await waitFor("the probe is known", async () => {
    const object = await rig.client.get({ ...resource, name: "web-1" })
    return JSON.stringify(object?.spec?.probes ?? {}).includes("readiness")
  })
  await rig.converged(names.length)
  expect((await pidsOf()).slice(1)).toEqual(before.slice(1))
  expect(pidsNow()).toHaveLength(5)
})

test("logs are shown and followed over a restart", async () => {
  const shown = cli("logs", "web-0", "--tail", "1")
  expect(await shown.ended).toBe(0)
  expect(shown.text()).toBe("up green\n")
  const followed = cli("logs", "-f", "process", "web-0")
  await waitFor("it is followed", () => followed.text() === "up green\n")
  process.kill(Number((await outputs("web-0")).pid), "SIGKILL")
  await waitFor("the next run is shown", () => followed.text() === "up green\nup green\n")
  followed.stop()
  expect(await followed.ended).toBe(0)
  const previous = cli("logs", "web-0", "--previous", "--output", "json")
  expect(await previous.ended).toBe(0)
  expect(JSON.parse(previous.text())).toMatchObject({ text: "up green\n" })
  const none = cli("logs", "loop/site", "-n", "default")
  expect(await none.ended).not.toBe(0)
  expect(none.text()).toMatch(/SPT-/)
})

test("a stop keeps what ended from being started; resume starts it", async () => {
  await rig.converged(names.length)
  const { pid } = await outputs("web-3")
  expect(await cli("stop").ended).toBe(0)
  process.kill(Number(pid), "SIGKILL")
  await waitFor("its end is told", async () => (await outputs("web-3")).ready === false)
  expect(pidsNow()).toHaveLength(4)
  expect(await cli("resume").ended).toBe(0)
  await waitFor("it is back", () => pidsNow().length === 5)
  await rig.converged(names.length)
})

test("a deleted object takes its process and its place along", async () => {
  const places = readdirSync(join(rig.data, "processes")).length
  const { pid } = await outputs("web-4")
  rmSync(rig.manifest("web-4"))
  await waitFor("it is gone", () => !pidsNow().includes(Number(pid)) && pidsNow().length === 4)
  await waitFor("its place is gone", () => {
    return readdirSync(join(rig.data, "processes")).length === places - 1
  })
  expect(existsSync(`/proc/${pid}`)).toBe(false)
})
