// A copy of a data directory that an earlier version left behind, and this version's plane on it.
// Acting is stopped in all of them, so that nothing outside is touched.

import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { waitFor } from "../e2e/plane/wait-for.ts"
import { compiled, program } from "../program.ts"
import type { Told } from "./installed-plane.ts"

const folder = fileURLToPath(new URL("../fixtures/data", import.meta.url))

export interface FixtureContent {
  readonly version: string
  readonly format: number
  readonly planeId: string
  readonly objects: Readonly<Record<string, object>>
  readonly plans: readonly { name: string; hash: string; phase: string; actions: number }[]
  readonly checkpoints: readonly string[]
  readonly stop: string
  readonly tokens: readonly string[]
  readonly journals: Readonly<Record<string, { sequence: number; hash: string }>>
}

/** "0.1.0": one for each version that was released, oldest first. */
export function fixtureVersions(): string[] {
  const found = readdirSync(folder).filter((name) => name.endsWith(".tar.gz"))
  return found.map((name) => name.slice(0, -".tar.gz".length)).sort()
}

export class OldDirectory {
  readonly base = mkdtempSync(join(tmpdir(), "sptu-"))
  readonly data = join(this.base, "data")
  readonly held: FixtureContent
  readonly #env = {
    ...process.env,
    XDG_CONFIG_HOME: join(this.base, "config"),
    NODE_COMPILE_CACHE: compiled,
    NO_COLOR: "1",
  }
  #child: ChildProcess | undefined
  #errors = ""

  constructor(version: string) {
    const archive = join(folder, `${version}.tar.gz`)
    const unpacked = spawnSync("tar", ["xzf", archive, "-C", this.base], { timeout: 30_000 })
    if (unpacked.status !== 0) throw new Error(String(unpacked.stderr))
    this.held = JSON.parse(readFileSync(join(folder, `${version}.json`), "utf8"))
  }

  tell(...args: readonly string[]): Told {
    const all = [program, ...args, "--data", this.data]
    const result = spawnSync(process.execPath, all, { env: this.#env, timeout: 60_000 })
    return { code: result.status, out: String(result.stdout), error: String(result.stderr) }
  }

  json(...args: readonly string[]) {
    return JSON.parse(this.tell(...args, "-o", "json").out)
  }

  /** One more file, of the namespace's own loop; it is not made as long as acting is stopped. */
  declare(name: string): Told {
    const spec = { path: join(this.base, name), content: "declared later\n" }
    const object = { apiVersion: "host.setpoint.dev/v1", kind: "File", metadata: { name }, spec }
    const file = join(this.base, `${name}.json`)
    writeFileSync(file, JSON.stringify(object))
    return this.tell("apply", "-f", file)
  }

  async serve(): Promise<void> {
    const args = [program, "serve", "--data", this.data]
    const child = spawn(process.execPath, args, { env: this.#env })
    this.#child = child
    child.stdout.resume()
    child.stderr.on("data", (chunk) => {
      this.#errors = (this.#errors + String(chunk)).slice(-10_000)
    })
    await waitFor("the plane answers", () => {
      if (child.exitCode !== null) throw new Error(this.#errors)
      return this.tell("status").code === 0 || this.#errors
    })
  }

  async end(): Promise<number | null> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null) return child?.exitCode ?? null
    const ended = new Promise<number | null>((done) => child.once("close", done))
    child.kill("SIGTERM")
    return ended
  }

  /** Of every file but those that say who uses the directory. */
  digest(): string {
    const hash = createHash("sha256")
    const names = readdirSync(this.data, { recursive: true }).map(String).sort()
    for (const name of names.filter((one) => !one.startsWith("lock."))) {
      const path = join(this.data, name)
      hash.update(`${name}\n`)
      if (statSync(path).isFile()) hash.update(readFileSync(path))
    }
    return hash.digest("hex")
  }

  async close(): Promise<void> {
    this.#child?.kill("SIGKILL")
    rmSync(this.base, { recursive: true, force: true })
  }
}
