// 1,000 files against puppet, whose manifest says the same: a cold one-shot plan of a converged
// folder against a cold apply in which nothing changes, and a running plane's pass over them. All
// in turns in one run; everything lives below a temporary folder. Without puppet only our own
// figures are taken, and that is said.

import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { alone, type BenchOptions, type BenchResult, median } from "../result.ts"

const cli = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))
const count = 1000

interface Site {
  readonly base: string
  readonly data: string
  readonly manifests: string
  readonly puppet: string
}

function makeSite(): Site {
  const base = mkdtempSync(join(tmpdir(), "setpoint-puppet-"))
  const [manifests, files] = [join(base, "site"), join(base, "files")]
  mkdirSync(manifests)
  mkdirSync(files)
  const all = Array.from({ length: count }, (_, index) => index)
  const path = (index: number) => join(files, `file-${index}.conf`)
  for (let from = 0; from < count; from += 50) {
    const documents = all.slice(from, from + 50).map(
      (index) => `apiVersion: host.setpoint.dev/v1
kind: File
metadata: { name: file-${index} }
spec: { path: ${path(index)}, content: "content ${index}\\n", mode: "0644" }
`,
    )
    writeFileSync(join(manifests, `files-${from}.yaml`), documents.join("---\n"))
  }
  const puppet = join(base, "site.pp")
  const resources = all.map(
    (index) =>
      `file { '${path(index)}': ensure => file, content => "content ${index}\\n", mode => '0644' }`,
  )
  writeFileSync(puppet, `${resources.join("\n")}\n`)
  return { base, manifests, puppet, data: join(base, "data") }
}

function environment(site: Site): NodeJS.ProcessEnv {
  return { ...process.env, XDG_CONFIG_HOME: join(site.base, "config") }
}

function call(site: Site, method: string, path: string): Promise<string> {
  const token = readFileSync(join(site.data, "token"), "utf8").trim()
  const headers = { authorization: `Bearer ${token}` }
  const socketPath = join(site.data, "api.sock")
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method, path, headers, timeout: 60_000 }, (answer) => {
      const parts: Buffer[] = []
      answer.on("data", (part: Buffer) => parts.push(part))
      answer.on("end", () => {
        const text = Buffer.concat(parts).toString()
        if (answer.statusCode === 200) resolve(text)
        else reject(new Error(`${path} answered ${answer.statusCode}: ${text}`))
      })
    })
    sent.on("timeout", () => sent.destroy(new Error(`${path} did not answer`)))
    sent.on("error", reject)
    sent.end()
  })
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function startPlane(site: Site): Promise<ChildProcess> {
  const args = [cli, "--data", site.data, "up", site.manifests]
  const stdio = ["ignore", "ignore", "inherit"] as const
  const child = spawn(process.execPath, args, { env: environment(site), stdio: [...stdio] })
  const until = performance.now() + 120_000
  for (;;) {
    await pause(100)
    if (performance.now() > until || child.exitCode !== null) throw new Error("no plane came up")
    if (!existsSync(join(site.data, "api.sock")) || !existsSync(join(site.data, "token"))) continue
    const text = await call(site, "GET", "/setpoint/v1/status").catch(() => "")
    if (text.includes(`"converged":${count}`)) return child
  }
}

async function endPlane(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGTERM")
  await ended
}

function timed(command: string, args: readonly string[], env: NodeJS.ProcessEnv): number {
  const began = performance.now()
  const run = spawnSync(command, args, { env, encoding: "utf8", timeout: 300_000 })
  if (run.status !== 0) throw new Error(`${command} ended with ${run.status}: ${run.stderr}`)
  return performance.now() - began
}

function puppetArgs(site: Site): string[] {
  const folder = (name: string) => join(site.base, "puppet", name)
  const options = ["--confdir", folder("conf"), "--vardir", folder("var"), "--logdest", "console"]
  return ["apply", "--detailed-exitcodes", ...options, site.puppet]
}

async function passes(site: Site, rounds: number): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    await call(site, "POST", "/setpoint/v1/look")
    times.push(performance.now() - began)
  }
  return times
}

export async function againstPuppet(options: BenchOptions): Promise<readonly BenchResult[]> {
  const hasPuppet = spawnSync("puppet", ["--version"]).status === 0
  if (!hasPuppet) options.progress("skipped: puppet is not installed, no peer for 1,000 files")
  const site = makeSite()
  const env = environment(site)
  const rounds = options.quick ? 1 : 3
  const [plans, looks, applies]: [number[], number[], number[]] = [[], [], []]
  try {
    await endPlane(await startPlane(site))
    for (let round = 0; round < rounds; round++) {
      // Exit 0 proves that nothing differs, for both.
      plans.push(timed(process.execPath, [cli, "--data", site.data, "plan", site.manifests], env))
      if (hasPuppet) applies.push(timed("puppet", puppetArgs(site), env))
      const plane = await startPlane(site)
      await pause(1500)
      await passes(site, 3)
      looks.push(...(await passes(site, 7)))
      await endPlane(plane)
    }
  } finally {
    rmSync(site.base, { recursive: true, force: true })
  }
  const names = ["cold plan of 1,000 files", "running plane's pass over 1,000 files"] as const
  if (!hasPuppet)
    return [alone(names[0], median(plans), "ms"), alone(names[1], median(looks), "ms")]
  const applied = median(applies)
  const peer = `puppet apply, ${Math.round(applied)} ms`
  return [
    { name: names[0], value: median(plans), unit: "ms", peer, ratio: median(plans) / applied },
    { name: names[1], value: median(looks), unit: "ms", peer, ratio: median(looks) / applied },
  ]
}
