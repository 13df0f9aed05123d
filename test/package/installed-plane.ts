// A plane of an installed program on a clean directory, in an environment with nothing of ours: the
// first things that somebody does with it. The program is told as a command and a PATH.

import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { waitFor } from "../e2e/plane/wait-for.ts"

export interface Told {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

export class InstalledPlane {
  readonly base = mkdtempSync(join(tmpdir(), "spti-"))
  readonly site = join(this.base, "site")
  readonly target = join(this.base, "motd")
  readonly data = join(this.base, "data")
  readonly #command: string
  readonly #env: NodeJS.ProcessEnv
  #child: ChildProcess | undefined
  #ended: Promise<number | null> | undefined
  output = ""

  constructor(command: string, path: string) {
    this.#command = command
    this.#env = { PATH: path, HOME: this.base, XDG_CONFIG_HOME: join(this.base, "config") }
    mkdirSync(this.site)
    const spec = { path: this.target, content: "kept\n" }
    this.manifest("host.setpoint.dev/v1", "File", "motd", spec)
  }

  manifest(apiVersion: string, kind: string, name: string, spec: object): void {
    const text = JSON.stringify({ apiVersion, kind, metadata: { name }, spec })
    writeFileSync(join(this.site, `${name}.json`), text)
  }

  /** Runs a command to its end. */
  tell(...args: readonly string[]): Told {
    const options = { env: this.#env, cwd: this.base, timeout: 60_000 }
    const result = spawnSync(this.#command, [...args, "--data", this.data], options)
    return { code: result.status, out: String(result.stdout), error: String(result.stderr) }
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Until the file is as declared. */
  async up(...args: readonly string[]): Promise<void> {
    const all = ["up", this.site, "--data", this.data, ...args]
    const child = spawn(this.#command, all, { env: this.#env, cwd: this.base })
    this.output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        this.output = (this.output + String(chunk)).slice(-100_000)
      })
    }
    this.#child = child
    this.#ended = new Promise((resolve, reject) => {
      child.once("error", reject)
      child.once("close", resolve)
    })
    await waitFor("the plane watches", () => {
      if (child.exitCode !== null) throw new Error(`the plane ended: ${this.output}`)
      return this.output.includes("; watching") || this.output
    })
  }

  read(): string {
    try {
      return readFileSync(this.target, "utf8")
    } catch {
      return "(none)"
    }
  }

  async heals(): Promise<void> {
    writeFileSync(this.target, "by hand\n")
    await waitFor("the file is healed", () => this.read() === "kept\n" || this.read())
  }

  /** The first page of the dashboard, by the one-time link that `setpoint dashboard` prints. */
  async page(): Promise<string> {
    const link = /http:\/\/\S+/.exec(this.tell("dashboard").out)?.[0] ?? ""
    const signedIn = await fetch(link, { redirect: "manual" })
    const cookie = String(signedIn.headers.get("set-cookie")).split(";")[0] ?? ""
    return (await fetch(new URL("/", link), { headers: { cookie } })).text()
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child?.kill(signal)
    return (await this.#ended) ?? null
  }

  /** Also what it kept running, which outlives a plane on purpose. */
  async close(): Promise<void> {
    await this.end("SIGKILL").catch(() => {}) // It never began.
    for (const pid of this.#kept()) {
      try {
        process.kill(pid, "SIGKILL")
      } catch {} // It has ended by itself.
    }
    rmSync(this.base, { recursive: true, force: true })
  }

  #kept(): number[] {
    const folder = join(this.data, "processes")
    if (!existsSync(folder)) return []
    const runs = readdirSync(folder, { recursive: true }).map(String)
    return runs
      .filter((name) => /\/run\.\d+$/.test(name))
      .map((name) => Number(readFileSync(join(folder, name), "utf8").split(" ")[0]))
      .filter((pid) => pid > 1)
  }
}
