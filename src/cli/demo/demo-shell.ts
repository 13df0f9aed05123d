// Runs exactly the shell command that was printed, in the demo's folder, and programs that go on
// running: the plane, and the naive loop.

import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import type { DemoWorld } from "./world/demo-world.ts"

export interface ShellResult {
  readonly code: number
  readonly output: string
}

const commandMs = 60_000
const endMs = 15_000
const outputMax = 64 * 1024

/** Its output is bounded; a command that hangs, or is not wanted any more, is ended. */
export function runShell(
  world: DemoWorld,
  command: string,
  signal?: AbortSignal,
): Promise<ShellResult> {
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", command], {
      cwd: world.folder,
      env: world.environment,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: commandMs,
      killSignal: "SIGKILL",
      ...(signal === undefined ? {} : { signal }),
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

/** A program of the demo that runs until it is ended, with its output in a file. */
export class DemoProgram {
  readonly command: string
  readonly log: string
  readonly #world: DemoWorld
  #child: ChildProcess | undefined
  #ended: Promise<void> = Promise.resolve()

  constructor(world: DemoWorld, command: string, log: string) {
    this.#world = world
    this.command = command
    this.log = log
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  get running(): boolean {
    const child = this.#child
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  start(): void {
    const log = openSync(this.#world.path(this.log), "a", 0o600)
    const child = spawn("sh", ["-c", `exec ${this.command}`], {
      cwd: this.#world.folder,
      env: this.#world.environment,
      stdio: ["ignore", log, log],
      // A key pressed on the terminal is for the demo, not for the plane.
      detached: true,
    })
    closeSync(log)
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
