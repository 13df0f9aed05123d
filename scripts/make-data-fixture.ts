// Makes a data directory with the real program and keeps it as a fixture, with what it held: every
// release adds one, and every later version has to open them all: docs/decisions/0031-packaging.md.
//
//   node scripts/make-data-fixture.ts test/fixtures/data/0.1.0 [PROGRAM]
//
// writes 0.1.0.tar.gz and 0.1.0.json. PROGRAM is bin/setpoint when missing.

import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"

const [target = "", program = fileURLToPath(new URL("../bin/setpoint", import.meta.url))] =
  process.argv.slice(2)
const base = mkdtempSync(join(tmpdir(), "setpoint-data-"))
/** Declared paths are the same everywhere; nothing is made there, since acting is stopped. */
const place = "/srv/setpoint-example"
const env = { ...process.env, XDG_CONFIG_HOME: join(base, "config") }

function tell(...args: readonly string[]): string {
  const command = [program, ...args, "--data", join(base, "data")]
  const result = spawnSync(process.execPath, command, { cwd: base, env, timeout: 60_000 })
  if (result.status !== 0) throw new Error(`${args.join(" ")}: ${result.stdout}${result.stderr}`)
  return String(result.stdout)
}

async function until(what: string, condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 100) {
    if (waited > 60_000) throw new Error(`${what}: not within a minute`)
    await pause(100)
  }
}

function writeManifests(): void {
  mkdirSync(join(base, "site"))
  mkdirSync(join(base, "loops"))
  for (let number = 1; number <= 12; number++) {
    const spec = { path: join(base, "out", `f${number}`), content: `file ${number}\n` }
    write(`site/f${number}.json`, "host.setpoint.dev/v1", "File", `f${number}`, spec)
  }
  mkdirSync(join(base, "out"))
  const approvals = { expiresAfter: "365d" }
  const source = { directory: { path: join(base, "site") } }
  const spec = { mode: "Enforce", source, approvals }
  write("loops/site.json", "setpoint.dev/v1alpha1", "Loop", "site", spec)
  const waiting = { path: `${place}/waiting`, content: "not yet\n" }
  write("waiting.json", "host.setpoint.dev/v1", "File", "waiting", waiting)
  const secret = { ...meta("v1", "Secret", "pass"), stringData: { word: "sealed" } }
  writeFileSync(join(base, "secret.json"), JSON.stringify(secret))
}

const meta = (apiVersion: string, kind: string, name: string) => {
  return { apiVersion, kind, metadata: { name } }
}

function write(file: string, apiVersion: string, kind: string, name: string, spec: object): void {
  writeFileSync(join(base, file), JSON.stringify({ ...meta(apiVersion, kind, name), spec }))
}

const nameOf = ({ name }: { readonly name: string }) => name

/** What must be there after an upgrade. */
export interface FixtureContent {
  readonly version: string
  readonly format: number
  readonly planeId: string
  /** "files/f1" to uid, generation and spec. */
  readonly objects: Readonly<Record<string, unknown>>
  readonly plans: readonly unknown[]
  readonly checkpoints: readonly string[]
  readonly stop: string
  readonly tokens: readonly string[]
  /** Loop to last entry and its hash. */
  readonly journals: Readonly<Record<string, unknown>>
}

function content(): Omit<FixtureContent, "journals"> {
  const objects: Record<string, unknown> = {}
  for (const kind of ["files", "loops", "secrets"]) {
    for (const { metadata, spec, data } of JSON.parse(tell("get", kind, "-o", "json")).items) {
      const { uid, generation } = metadata
      objects[`${kind}/${metadata.name}`] = { uid, generation, spec, data }
    }
  }
  const plans = JSON.parse(tell("plans", "-o", "json")).plans.map(
    (plan: Readonly<Record<string, unknown>>) => {
      return { name: plan.name, hash: plan.hash, phase: plan.phase, actions: plan.actionCount }
    },
  )
  const identity = JSON.parse(readFileSync(join(base, "data", "identity.json"), "utf8"))
  return {
    version: tell("--version").trim(),
    format: identity.format,
    planeId: identity.planeId,
    objects,
    plans,
    checkpoints: ["first"],
    stop: JSON.parse(tell("status", "-o", "json")).stops[0].text,
    tokens: JSON.parse(tell("token", "list", "-o", "json")).tokens.map(nameOf),
  }
}

/** When the plane has ended: that is written down as well. */
function journals(): FixtureContent["journals"] {
  const checks = JSON.parse(tell("audit", "verify", "-o", "json")).checks
  return Object.fromEntries(
    checks.map((check: { loop: string; to: number; hash: string }) => {
      return [check.loop, { sequence: check.to, hash: check.hash }]
    }),
  )
}

async function make(): Promise<void> {
  writeManifests()
  const command = [program, "up", "loops", "--data", join(base, "data")]
  const stdio = ["ignore", "ignore", "inherit"] as const
  const plane = spawn(process.execPath, command, { cwd: base, env, stdio: [...stdio] })
  const ended = new Promise((done) => plane.once("close", done))
  let held: Omit<FixtureContent, "journals">
  try {
    held = await fill()
  } finally {
    plane.kill("SIGTERM")
    await ended
  }
  const all: FixtureContent = { ...held, journals: journals() }
  writeFileSync(`${resolve(target)}.json`, `${JSON.stringify(all, null, 2)}\n`)
  const archive = `${resolve(target)}.tar.gz`
  const tar = ["-czf", archive, "--owner=0", "--group=0", "-C", base, "data", "config"]
  if (spawnSync("tar", tar, { timeout: 60_000 }).status !== 0) throw new Error("tar failed")
}

async function fill(): Promise<Omit<FixtureContent, "journals">> {
  await until("twelve files", () => existsSync(join(base, "out", "f12")))
  writeFileSync(join(base, "out", "f1"), "by hand\n")
  await until("healed", () => readFileSync(join(base, "out", "f1"), "utf8") === "file 1\n")
  tell("apply", "-f", "secret.json")
  tell("checkpoint", "create", "default.site", "first")
  tell("token", "create", "ci", "--kind", "service", "--file", "token")
  for (let number = 3; number <= 10; number++) rmSync(join(base, "site", `f${number}.json`))
  await until("a held plan", () => tell("plans", "-o", "name").includes("site-"))
  tell("stop", "--reason", "kept over the upgrade")
  tell("apply", "-f", "waiting.json")
  return content()
}

mkdirSync(resolve(target, ".."), { recursive: true })
await make().finally(() => rmSync(base, { recursive: true, force: true }))
