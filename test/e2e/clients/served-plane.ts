// A real plane (`setpoint serve`) for real clients: its own folders, a free port, a kubeconfig, and
// a home folder whose caches belong to one client version. Nothing is left behind.

import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compiled, program } from "../../program.ts"
import { waitFor } from "../plane/wait-for.ts"
import { ownPort } from "./own-port.ts"

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export class ServedPlane {
  readonly base = mkdtempSync(join(tmpdir(), "setpoint-clients-"))
  readonly data = join(this.base, "data")
  readonly kubeconfig = join(this.data, "kubeconfig")
  readonly home = join(this.base, "home")
  readonly options: string[]
  #child: ChildProcess | undefined
  #port = 0

  constructor(...options: readonly string[]) {
    this.options = [...options]
    mkdirSync(this.home)
  }

  get log(): string {
    return readFileSync(join(this.base, "log"), "utf8")
  }

  get server(): string {
    return /server: "?(https:\/\/[^"\s]+)/.exec(readFileSync(this.kubeconfig, "utf8"))?.[1] ?? ""
  }

  get token(): string {
    return readFileSync(join(this.data, "token"), "utf8").trim()
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  get environment(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? "",
      HOME: this.home,
      XDG_CONFIG_HOME: join(this.base, "config"),
      KUBECONFIG: this.kubeconfig,
      NODE_COMPILE_CACHE: compiled,
    }
  }

  async start(): Promise<void> {
    const log = openSync(join(this.base, "log"), "a")
    if (this.#port === 0) this.#port = await ownPort()
    const own = this.options.includes("--listen") ? [] : ["--port", String(this.#port)]
    const args = [program, "serve", "--data", this.data, ...own, ...this.options]
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", log, log],
      env: this.environment,
    })
    this.#child = child
    const stdout = /^api +https/m
    const from = existsSync(join(this.base, "log")) ? this.log.length : 0
    await waitFor("the plane serves", async () => {
      if (child.exitCode !== null) throw new Error(`the plane ended:\n${this.log}`)
      return stdout.test(this.log.slice(from)) || "not yet"
    })
  }

  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once("exit", resolve))
    child.kill(signal)
    await gone
  }

  /** Runs a client to its end. */
  run(
    program: string,
    args: readonly string[],
    input = "",
    more: Record<string, string> = {},
  ): Ran {
    const { status, stdout, stderr } = spawnSync(program, args, {
      input,
      encoding: "utf8",
      timeout: 120_000,
      cwd: this.base,
      env: { ...this.environment, ...more },
    })
    return { code: status, out: stdout ?? "", err: stderr ?? "" }
  }

  async close(): Promise<void> {
    await this.end("SIGKILL")
    rmSync(this.base, { recursive: true, force: true })
  }
}
