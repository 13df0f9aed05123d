// Runs the real command line in a temporary folder with its own configuration.
// Planes are ended by their process id; everything is removed at the end.

import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compiled, program } from "../program.ts"
import { waitFor } from "./plane/wait-for.ts"

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export class RunningCommand {
  readonly child: ChildProcess
  readonly finished: Promise<Finished>
  stdout = ""
  stderr = ""

  constructor(args: readonly string[], cwd: string) {
    const own = { XDG_CONFIG_HOME: join(cwd, "config"), NODE_COMPILE_CACHE: compiled }
    const env = { ...process.env, ...own }
    const child = spawn(process.execPath, [program, ...args], { cwd, env, stdio: "pipe" })
    child.stdout.on("data", (chunk) => {
      this.stdout += String(chunk)
    })
    child.stderr.on("data", (chunk) => {
      this.stderr += String(chunk)
    })
    this.child = child
    this.finished = new Promise((resolve, reject) => {
      child.once("error", reject)
      child.once("close", (code) => {
        resolve({ code, stdout: this.stdout, stderr: this.stderr })
      })
    })
  }

  /** Waits until it said this; fails when it ended before. */
  async said(pattern: RegExp): Promise<void> {
    await waitFor(`the command says ${pattern}`, () => {
      if (pattern.test(this.stdout)) return true
      const { exitCode } = this.child
      if (exitCode !== null) throw new Error(`ended with ${exitCode}: ${this.stdout}${this.stderr}`)
      return this.stdout.slice(-500)
    })
  }

  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<Finished> {
    this.child.kill(signal)
    return this.finished
  }
}

export class CliRig {
  readonly folder = mkdtempSync(join(tmpdir(), "spt-cli-"))
  readonly #started: RunningCommand[] = []

  path(...names: readonly string[]): string {
    return join(this.folder, ...names)
  }

  /** A folder with manifests of so many files; their targets lie in `out`. */
  declareFiles(site: string, count: number): void {
    mkdirSync(this.path(site), { recursive: true })
    mkdirSync(this.path("out"), { recursive: true })
    for (let number = 1; number <= count; number++) {
      const object = {
        apiVersion: "host.setpoint.dev/v1",
        kind: "File",
        metadata: { name: `file-${number}` },
        spec: { path: this.path("out", `file-${number}`), content: `text ${number}\n` },
      }
      writeFileSync(this.path(site, `file-${number}.json`), JSON.stringify(object))
    }
  }

  start(...args: readonly string[]): RunningCommand {
    const command = new RunningCommand(args, this.folder)
    this.#started.push(command)
    return command
  }

  run(...args: readonly string[]): Promise<Finished> {
    const command = this.start(...args)
    command.child.stdin?.end()
    return command.finished
  }

  async close(): Promise<void> {
    for (const command of this.#started) {
      command.child.kill("SIGCONT")
      await command.end("SIGKILL")
    }
    rmSync(this.folder, { recursive: true, force: true })
  }
}
