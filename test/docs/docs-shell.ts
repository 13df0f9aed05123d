// A shell in a temporary folder, as a reader of the documents has it: `setpoint` on the PATH, and
// everything below /srv/setpoint-example moved into the folder. Programs in the background are
// ended by their process group, and everything is removed at the end.

import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { dirname, join } from "node:path"
import { killAllBelow } from "../../src/providers/process/adapter/testing/process-rig.ts"
import { compiled, program } from "../program.ts"
import { isLook, matchOutput, type Step } from "./console.ts"
import { root } from "./pages.ts"

export const shownPrefix = "/srv/setpoint-example"
const shownHere = "/tmp/try"
/** What `setpoint import` calls something at this path. */
const nameOf = (path: string) => path.slice(1).replaceAll("/", "--")
const commandMs = 120_000
const patienceMs = 60_000
const outputMax = 1024 * 1024

interface Running {
  readonly child: ChildProcess
  output: string
  readonly ended: Promise<number>
}

export class DocsShell {
  /** Lower case: `setpoint import` makes names of objects from paths. */
  readonly base = join(tmpdir(), `sptd-${randomBytes(6).toString("hex")}`)
  /** Where commands run. */
  readonly here = join(this.base, "here")
  /** What /srv/setpoint-example is. */
  readonly targets = join(this.base, "srv")
  readonly #running: Running[] = []
  readonly #aliases = new Map<string, string>()
  #last = 0

  /** With kubectl, where a document uses it, for the plane in this folder. */
  constructor(kubectl?: string) {
    mkdirSync(this.base, { mode: 0o711 }) // `setpoint import` leaves out what is in a closed one.
    for (const folder of [this.here, this.targets, join(this.base, "bin")]) mkdirSync(folder)
    const command = join(this.base, "bin", "setpoint")
    writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
    chmodSync(command, 0o755)
    if (kubectl !== undefined) symlinkSync(kubectl, join(this.base, "bin", "kubectl"))
  }

  /** Text of a document, as it is in this folder. */
  real(text: string): string {
    let real = text
      .replaceAll(shownPrefix, this.targets)
      .replaceAll(nameOf(shownPrefix), nameOf(this.targets))
      .replaceAll(shownHere, this.here)
    for (const [shown, name] of this.#aliases) real = real.replaceAll(shown, name)
    return real
  }

  /** What was printed, as a document shows it. */
  shown(text: string): string {
    const user = new RegExp(`(?<![\\w/])${userInfo().username}(?![\\w/])`, "g")
    return text
      .replaceAll(this.targets, shownPrefix)
      .replaceAll(nameOf(this.targets), nameOf(shownPrefix))
      .replaceAll(this.here, shownHere)
      .replaceAll(user, "alice")
  }

  write(path: string, text: string): void {
    const file = join(this.here, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, this.real(text))
  }

  /** An example of the repository, with its paths moved. */
  copyExample(name: string): void {
    const to = join(this.here, name)
    cpSync(join(root, "examples", name), to, { recursive: true })
    for (const entry of readdirSync(to, { recursive: true })) {
      const file = join(to, String(entry))
      if (statSync(file).isFile()) writeFileSync(file, this.real(readFileSync(file, "utf8")))
    }
  }

  start(command: string): Running {
    const env = {
      ...process.env,
      PATH: `${join(this.base, "bin")}:${process.env.PATH}`,
      XDG_CONFIG_HOME: join(this.base, "config"),
      // A reader exports it once; here every command has a shell of its own.
      KUBECONFIG: join(this.here, ".setpoint", "kubeconfig"),
      NODE_COMPILE_CACHE: compiled,
      NO_COLOR: "1",
    }
    const script = `(exit ${this.#last})\n${this.real(command)}`
    const child = spawn("bash", ["-c", script], {
      ...{ cwd: this.here, env, detached: true },
      stdio: ["ignore", "pipe", "pipe"],
    })
    const ended = new Promise<number>((resolve, reject) => {
      child.once("error", reject)
      child.once("close", (code) => resolve(code ?? -1))
    })
    const running: Running = { child, output: "", ended }
    const keep = (chunk: Buffer) => {
      running.output = (running.output + String(chunk)).slice(-outputMax)
    }
    child.stdout.on("data", keep)
    child.stderr.on("data", keep)
    this.#running.push(running)
    return running
  }

  async run(command: string): Promise<{ readonly code: number; readonly output: string }> {
    const running = this.start(command)
    const timer = setTimeout(() => end(running.child, "SIGKILL"), commandMs)
    const code = await running.ended
    clearTimeout(timer)
    this.#last = code
    return { code, output: this.shown(running.output) }
  }

  /** Runs a step of a document; says in words how it differs from what is shown. */
  async step(step: Step): Promise<string | undefined> {
    const deadline = performance.now() + patienceMs
    let printed = ""
    const background = step.background ? this.start(step.command) : undefined
    do {
      if (background === undefined) printed = (await this.run(step.command)).output
      else printed = this.shown(background.output)
      const match = matchOutput(step.expected, printed)
      for (const [shown, name] of match.aliases) this.#aliases.set(shown, name)
      if (match.missing === undefined) return undefined
      if (background === undefined && !isLook(step.command)) break
      // A whole program is started to ask again; it must not slow down what it waits for.
      const pauseMs = background === undefined && step.command.startsWith("setpoint") ? 400 : 100
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    } while (performance.now() < deadline)
    const { missing } = matchOutput(step.expected, printed)
    return `$ ${step.command}\nthe document shows\n  ${missing}\nprinted was\n${printed}`
  }

  /** The exit code of the last command. */
  get last(): number {
    return this.#last
  }

  async close(): Promise<void> {
    for (const { child } of this.#running) end(child, "SIGKILL")
    await Promise.all(this.#running.map((running) => running.ended.catch(() => -1)))
    // What a plane keeps running outlives it, as it should.
    killAllBelow(join(this.here, ".setpoint", "processes"))
    rmSync(this.base, { recursive: true, force: true })
  }
}

function end(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, signal)
  } catch {} // The group has ended by itself.
}
