// What it costs to look after 500 processes when nothing happens: CPU of a real plane over a quiet
// time, in percent of a core, without probes and with a TCP probe every 10 seconds; what the shims
// take of memory; how soon a killed process is back. Everything it starts is ended by its pid.

import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { alone, type Bench, type BenchResult, median } from "./result.ts"

const program = join(import.meta.dirname, "..", "bin", "setpoint")
/** Clock ticks in a second, as every Linux has it. */
const ticks = 100

interface Place {
  readonly base: string
  readonly data: string
  readonly site: string
}

function writeSite({ site, base }: Place, count: number, port: number | undefined): void {
  const loop = {
    apiVersion: "setpoint.dev/v1alpha1",
    kind: "Loop",
    metadata: { name: "site" },
    spec: { source: { directory: { path: site } }, mode: "Enforce", limits: { changes: 10_000 } },
  }
  mkdirSync(join(base, "loops"))
  writeFileSync(join(base, "loops", "loop.json"), JSON.stringify(loop))
  mkdirSync(site)
  for (let index = 0; index < count; index++) {
    const spec = {
      command: ["sleep", "100000"],
      ...(port === undefined ? {} : { port, probes: { readiness: { tcp: {} } } }),
    }
    const name = `p${index}`
    const metadata = { name }
    const object = { apiVersion: "process.setpoint.dev/v1", kind: "Process", metadata, spec }
    writeFileSync(join(site, `${name}.json`), JSON.stringify(object))
  }
}

/** Programs and shims that were started below the data directory. */
function startedIn({ data }: Place): { readonly pid: number; readonly shim: boolean }[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const env = readFileSync(`/proc/${name}/environ`, "latin1")
      if (!env.includes(`SETPOINT_PLACE=${data}/`)) return []
      const shim = readFileSync(`/proc/${name}/cmdline`, "latin1").includes("process-shim.sh")
      return [{ pid: Number(name), shim }]
    } catch {
      return []
    }
  })
}

function cpuTicks(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1")
  const fields = text.slice(text.lastIndexOf(") ") + 2).split(" ")
  return Number(fields[11]) + Number(fields[12])
}

function privateKilobytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1")
  const found = [...text.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].map(([, size]) => Number(size))
  return found.reduce((sum, size) => sum + size, 0)
}

async function until(what: string, limitMs: number, done: () => boolean): Promise<void> {
  const end = performance.now() + limitMs
  while (!done()) {
    if (performance.now() > end) throw new Error(`${what} took longer than ${limitMs} ms`)
    await pause(20)
  }
}

function endAll(place: Place): void {
  for (let round = 0; round < 100; round++) {
    const left = startedIn(place)
    if (left.length === 0) return
    for (const { pid } of left) {
      try {
        process.kill(pid, "SIGKILL")
      } catch {}
    }
  }
}

async function measure(
  label: string,
  count: number,
  quietMs: number,
  port: number | undefined,
  progress: (text: string) => void,
): Promise<readonly BenchResult[]> {
  const base = mkdtempSync(join(tmpdir(), "setpoint-bench-"))
  const place = { base, data: join(base, "data"), site: join(base, "site") }
  writeSite(place, count, port)
  const env = { ...process.env, XDG_CONFIG_HOME: join(base, "config") }
  const args = [program, "--data", place.data, "up", join(base, "loops")]
  const child = spawn(process.execPath, args, { env, cwd: base, stdio: "ignore" })
  const pid = child.pid ?? 0
  const programs = () => startedIn(place).filter(({ shim }) => !shim)
  try {
    const begun = performance.now()
    await until("starting all", 300_000, () => programs().length >= count)
    const startMs = performance.now() - begun
    progress(`${label}: ${count} started in ${Math.round(startMs)} ms; waiting for quiet`)
    await pause(15_000)
    const before = cpuTicks(pid)
    await pause(quietMs)
    const percent = ((cpuTicks(pid) - before) / ticks / (quietMs / 1000)) * 100
    const shims = startedIn(place).filter(({ shim }) => shim)
    const sizes = shims.slice(0, 20).map((one) => privateKilobytes(one.pid))
    const healed: number[] = []
    for (const victim of programs().slice(0, 5)) {
      process.kill(victim.pid, "SIGKILL")
      const killed = performance.now()
      await until("healing", 60_000, () => {
        const now = programs()
        return now.length >= count && now.every((one) => one.pid !== victim.pid)
      })
      healed.push(performance.now() - killed)
    }
    return [
      alone(`${label}: CPU of the plane when quiet`, percent, "% of a core"),
      alone(`${label}: start of ${count}`, startMs, "ms"),
      alone(`${label}: private memory of a shim`, median(sizes), "KiB"),
      alone(`${label}: a killed one is back after`, median(healed), "ms"),
    ]
  } finally {
    child.kill("SIGKILL")
    endAll(place)
    rmSync(base, { recursive: true, force: true })
  }
}

export const bench: Bench = async ({ quick, progress }) => {
  const [count, quietMs] = quick ? [50, 10_000] : [500, 60_000]
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  try {
    return [
      ...(await measure("no probe", count, quietMs, undefined, progress)),
      ...(await measure("TCP probe every 10 s", count, quietMs, port, progress)),
    ]
  } finally {
    server.close()
  }
}
