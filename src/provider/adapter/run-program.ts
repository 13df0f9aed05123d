// Runs one program to its end: no shell, an environment of PATH, LANG and what is given, a process
// group of its own. A program that takes too long, writes too much or is called off is ended with
// everything it started, first by SIGTERM; whoever asked hears of it only when it has ended.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import type { CommandRequest, CommandResult } from "../../contract/commands.ts"
import { providerFault } from "../faults.ts"

export const programTimeoutMs = 30_000
export const programOutputMax = 1024 * 1024
const graceMs = 2000
const drainMs = 200

export const cannotRun = (program: string, cause: string, errno?: string) =>
  providerFault("SPT-PROV-012", { program, cause, ...(errno === undefined ? {} : { errno }) })

/** Nothing of this process's own environment: it may hold what a program must not see. */
export function spawnProgram({ argv, env, cwd }: CommandRequest): ChildProcessWithoutNullStreams {
  const [program = "", ...args] = argv
  const small = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" }
  // Without it bash takes the socket on its input for a remote login and reads ~/.bashrc.
  const level = { SHLVL: "1" }
  try {
    return spawn(program, args, {
      cwd: cwd ?? "/",
      detached: true,
      env: { ...small, ...level, LANG: "C.UTF-8", ...env },
      stdio: ["pipe", "pipe", "pipe"],
    })
  } catch (error) {
    throw cannotRun(program, error instanceof Error ? error.message : String(error))
  }
}

export function killGroup(pid: number | undefined, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name)
  } catch {
    // Nobody is left.
  }
}

/** SIGTERM to the whole group, and SIGKILL when that is not enough. */
export function endGroup(child: ChildProcessWithoutNullStreams): void {
  killGroup(child.pid, "SIGTERM")
  const hard = setTimeout(() => killGroup(child.pid, "SIGKILL"), graceMs)
  child.once("exit", () => clearTimeout(hard))
}

export function runProgram(request: CommandRequest, signal: AbortSignal): Promise<CommandResult> {
  const program = request.argv[0] ?? ""
  const bytesMax = request.outputBytesMax ?? programOutputMax
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(cannotRun(program, "it was called off"))
    const child = spawnProgram(request)
    const [out, err] = [new Output(bytesMax), new Output(bytesMax)]
    let cut: string | undefined
    let drain: NodeJS.Timeout | undefined
    const cutOff = (cause: string) => {
      if (cut === undefined) endGroup(child)
      cut ??= cause
    }
    const timeoutMs = request.timeoutMs ?? programTimeoutMs
    const late = setTimeout(() => cutOff(`it took longer than ${timeoutMs} ms`), timeoutMs)
    const onAbort = () => cutOff("it was called off")
    signal.addEventListener("abort", onAbort, { once: true })
    const end = (settle: () => void) => {
      for (const timer of [late, drain]) clearTimeout(timer)
      signal.removeEventListener("abort", onAbort)
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
      settle()
    }
    const take = (into: Output) => (chunk: Buffer) => {
      if (!into.add(chunk)) cutOff(`it wrote more than ${bytesMax} bytes`)
    }
    child.stdout.on("data", take(out))
    child.stderr.on("data", take(err))
    child.stdin.on("error", () => {}) // It need not read what it is given.
    child.stdin.end(request.input ?? "")
    child.on("error", (error) => {
      const errno: unknown = Reflect.get(error, "code")
      const why = typeof errno === "string" ? errno : undefined
      end(() => reject(cannotRun(program, error.message, why)))
    })
    const finish = () => {
      const { exitCode, signalCode } = child
      const ended = cut ?? (exitCode === null ? `it was ended by ${signalCode}` : undefined)
      if (ended !== undefined) return end(() => reject(cannotRun(program, ended)))
      const result = { code: exitCode ?? 0, stdout: out.text(), stderr: err.text() }
      end(() => resolve(result))
    }
    child.on("close", finish)
    child.on("exit", () => {
      killGroup(child.pid, "SIGKILL")
      // What left the group may hold the output open for ever.
      drain = setTimeout(finish, drainMs)
    })
  })
}

class Output {
  readonly #max: number
  readonly #chunks: Buffer[] = []
  #size = 0

  constructor(bytesMax: number) {
    this.#max = bytesMax
  }

  /** False when it is too much; nothing more is kept then. */
  add(chunk: Buffer): boolean {
    this.#size += chunk.length
    if (this.#size > this.#max) return false
    this.#chunks.push(chunk)
    return true
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8")
  }
}
