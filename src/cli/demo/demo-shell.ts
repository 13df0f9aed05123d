// Runs exactly the shell command that was printed, in the demo's folder, and the plane as a process
// of its own. Under root the plane runs without the capabilities that let root ignore permissions,
// else an unreadable folder would mean nothing.

import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { openSync } from "node:fs"
import { join } from "node:path"
import type { DemoWorld } from "./demo-world.ts"

export interface ShellResult {
  readonly code: number
  readonly output: string
}

const commandMs = 30_000
const endMs = 15_000
const outputMax = 64 * 1024

/** Its output is bounded; a command that hangs is ended. */
export function runShell(world: DemoWorld, command: string): Promise<ShellResult> {
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", command], {
      cwd: world.folder,
      env: world.environment,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: commandMs,
      killSignal: "SIGKILL",
    })
    let output = ""
    const take = (chunk: Buffer) => {
      if (output.length < outputMax) output += chunk.toString()
    }
    child.stdout.on("data", take)
    child.stderr.on("data", take)
    child.on("error", (error) => resolve({ code: 1, output: error.message }))
    child.on("close", (code) => resolve({ code: code ?? 1, output: output.trimEnd() }))
  })
}

export class DemoPlane {
  readonly command: string
  /** Permissions bind the plane, so that `chmod 000` means something. */
  readonly bound: boolean
  readonly #world: DemoWorld
  #child: ChildProcess | undefined
  #ended: Promise<void> = Promise.resolve()

  constructor(world: DemoWorld) {
    this.#world = world
    const prefix = prefixes().find(works)
    this.bound = process.getuid?.() !== 0 || (prefix?.includes("--bounding-set") ?? false)
    this.command = [...(prefix ?? []), "./setpoint up site --root www"].join(" ")
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  get running(): boolean {
    const child = this.#child
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  start(): void {
    const log = openSync(join(this.#world.folder, "plane.log"), "a", 0o600)
    const child = spawn("sh", ["-c", `exec ${this.command}`], {
      cwd: this.#world.folder,
      env: this.#world.environment,
      stdio: ["ignore", log, log],
      // A key pressed on the terminal is for the demo, not for the plane.
      detached: true,
    })
    this.#child = child
    this.#ended = new Promise((resolve) => {
      child.once("exit", () => resolve())
      child.once("error", () => resolve())
    })
  }

  /** True when it is gone. */
  ended(limitMs = endMs): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), limitMs)
      void this.#ended.then(() => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  }

  async end(): Promise<void> {
    if (!this.running) return
    this.#child?.kill("SIGTERM")
    if (await this.ended()) return
    this.#child?.kill("SIGKILL")
    await this.ended()
  }
}

/** From the strictest: permissions bind it and it ends with us; it only ends with us; as it is. */
function prefixes(): string[][] {
  const dies = ["--pdeathsig", "TERM"]
  const caps = "-dac_override,-dac_read_search"
  const bound = ["setpriv", ...dies, "--bounding-set", caps, "--inh-caps", caps]
  return process.getuid?.() === 0 ? [bound, ["setpriv", ...dies]] : [["setpriv", ...dies]]
}

function works([program = "", ...args]: readonly string[]): boolean {
  return spawnSync(program, [...args, "true"], { timeout: 10_000 }).status === 0
}
