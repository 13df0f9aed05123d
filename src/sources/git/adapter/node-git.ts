// The git program of this host. Each call has a folder of its own (0700), in which it runs and
// which is its HOME; it is gone when the call ends. Answers for askpass go through a descriptor
// that git and its children inherit: they are in no argument, variable or file. Never a shell.

import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { GitCut, type GitProgram, type GitRequest, type GitResult } from "../git-program.ts"
import { copyBytes } from "./copy-bytes.ts"

const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
const graceMs = 2000
const drainMs = 5000
const sizeLookMs = 200
const stderrMax = 64 * 1024

/** One line for each question; a third question gets none, and git gives up. */
const askpass = "#!/bin/sh\nIFS= read -r line <&3 && printf '%s\\n' \"$line\"\n"

export function nodeGit(directory: string): GitProgram {
  const calls = join(directory, "calls")
  // What a plane that was killed left behind may hold keys.
  rmSync(calls, { recursive: true, force: true })
  const place = (copy: string) => join(directory, copy)
  return {
    place,
    has: async (copy) =>
      (await stat(join(place(copy), "HEAD")).catch(() => undefined)) !== undefined,
    remove: (copy) => rm(place(copy), { recursive: true, force: true }),
    copies: async () =>
      (await readdir(directory).catch(() => [])).filter((name) => /^[0-9a-f]{40}$/.test(name)),
    bytes: (copy) => copyBytes(place(copy)),
    unlock: (copy) => removeLocks(place(copy)),
    run: async (request, signal) => {
      if (signal.aborted) throw new GitCut("aborted", "it was called off")
      mkdirSync(calls, { recursive: true, mode: 0o700 })
      chmodSync(directory, 0o700)
      const folder = mkdtempSync(join(calls, "call-"))
      try {
        prepare(folder, request)
        if (request.publicKeys !== undefined) await importKeys(folder, signal)
        const result = await run("git", request, folder, signal, place)
        // A fetch may be quicker than the looks at its size.
        if (request.grows !== undefined) await needSize(request.grows, place)
        return result
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  }
}

async function needSize(
  { copy, bytesMax }: NonNullable<GitRequest["grows"]>,
  place: (copy: string) => string,
): Promise<void> {
  if ((await copyBytes(place(copy))) <= bytesMax) return
  throw new GitCut("size", `it has more than ${bytesMax} bytes`)
}

function prepare(folder: string, { files = {}, answers, publicKeys }: GitRequest): void {
  const write = (name: string, text: string, mode = 0o600) =>
    writeFileSync(join(folder, name), text, { mode, flag: "wx" })
  for (const [name, text] of Object.entries(files)) write(name, text)
  if (answers !== undefined) write("askpass", askpass, 0o700)
  if (publicKeys === undefined) return
  mkdirSync(join(folder, "gnupg"), { mode: 0o700 })
  write("gnupg/gpg.conf", "no-autostart\nbatch\nno-auto-key-locate\ntrust-model always\n")
  write("gnupg/keys.asc", `${publicKeys.join("\n")}\n`)
}

async function importKeys(folder: string, signal: AbortSignal): Promise<void> {
  const home = join(folder, "gnupg")
  const args = ["--homedir", home, "--batch", "--no-autostart", "--import", join(home, "keys.asc")]
  const bounds = { timeoutMs: 30_000, outputBytesMax: stderrMax }
  await run("gpg", { args, env: { LC_ALL: "C" }, ...bounds }, folder, signal)
}

async function removeLocks(copy: string): Promise<void> {
  const entries = await readdir(copy, { recursive: true }).catch(() => [])
  for (const name of entries) {
    const left = name.endsWith(".lock") || /(^|\/)tmp_(pack|idx|obj)_/.test(name)
    if (left) await rm(join(copy, name), { force: true })
  }
}

function environment(folder: string, { env, answers, publicKeys }: GitRequest) {
  return {
    ...{ PATH: path, HOME: folder, ...env },
    ...(answers === undefined ? {} : { GIT_ASKPASS: join(folder, "askpass") }),
    ...(publicKeys === undefined ? {} : { GNUPGHOME: join(folder, "gnupg") }),
  }
}

function run(
  program: string,
  request: GitRequest,
  folder: string,
  signal: AbortSignal,
  place?: (copy: string) => string,
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, request.args, {
      cwd: folder,
      detached: true,
      env: environment(folder, request),
      stdio: ["pipe", "pipe", "pipe", request.answers === undefined ? "ignore" : "pipe"],
    })
    const call = new Call(child, request)
    const timers = [setTimeout(() => call.cut("late", "it took too long"), request.timeoutMs)]
    const { grows } = request
    if (grows !== undefined && place !== undefined) {
      const look = () => needSize(grows, place).catch((cut: Error) => call.cut("size", cut.message))
      timers.push(setInterval(() => void look(), sizeLookMs))
    }
    const onAbort = () => call.cut("aborted", "it was called off")
    signal.addEventListener("abort", onAbort, { once: true })
    call.ended.then(resolve, reject).finally(() => {
      for (const timer of timers) clearInterval(timer)
      signal.removeEventListener("abort", onAbort)
    })
  })
}

class Call {
  readonly ended: Promise<GitResult>
  readonly #child: ChildProcess
  readonly #outMax: number
  readonly #out: Buffer[] = []
  readonly #err: Buffer[] = []
  #outBytes = 0
  #errBytes = 0
  #cut: GitCut | undefined

  constructor(child: ChildProcess, { input = "", answers = [], outputBytesMax }: GitRequest) {
    this.#child = child
    this.#outMax = outputBytesMax
    child.stdout?.on("data", (chunk: Buffer) => this.#take(chunk))
    child.stderr?.on("data", (chunk: Buffer) => this.#hear(chunk))
    child.stdin?.on("error", () => {}) // It need not read what it is given.
    child.stdin?.end(input)
    const told = child.stdio[3]
    if (told !== undefined && told !== null && "end" in told) {
      told.on("error", () => {})
      told.end(answers.map((answer) => `${answer}\n`).join(""))
    }
    this.ended = new Promise((resolve, reject) => {
      child.on("error", (error) => reject(new GitCut("missing", error.message)))
      child.on("exit", () => {
        this.#kill("SIGKILL")
        // What left the group may hold the output open for ever. Half an answer is none.
        const late = () => {
          this.#cut ??= new GitCut("killed", "its output did not end")
          this.#finish(resolve, reject)
        }
        const drain = setTimeout(late, drainMs)
        child.once("close", () => clearTimeout(drain))
      })
      child.on("close", () => this.#finish(resolve, reject))
    })
  }

  cut(cut: GitCut["cut"], message: string): void {
    if (this.#cut !== undefined) return
    this.#cut = new GitCut(cut, message)
    this.#kill("SIGTERM")
    const hard = setTimeout(() => this.#kill("SIGKILL"), graceMs)
    this.#child.once("exit", () => clearTimeout(hard))
  }

  #finish(resolve: (result: GitResult) => void, reject: (error: Error) => void): void {
    const { exitCode, signalCode } = this.#child
    for (const stream of this.#child.stdio) stream?.destroy()
    if (this.#cut !== undefined) reject(this.#cut)
    else if (exitCode === null) reject(new GitCut("killed", `it was ended by ${signalCode}`))
    else {
      const stderr = Buffer.concat(this.#err).toString("utf8")
      resolve({ code: exitCode, stdout: Buffer.concat(this.#out), stderr })
    }
  }

  #take(chunk: Buffer): void {
    this.#outBytes += chunk.length
    if (this.#outBytes > this.#outMax) {
      this.cut("output", `it wrote more than ${this.#outMax} bytes`)
    } else this.#out.push(chunk)
  }

  /** What a server says may be without end; the beginning is enough. */
  #hear(chunk: Buffer): void {
    if (this.#errBytes > stderrMax) return
    this.#errBytes += chunk.length
    this.#err.push(chunk)
  }

  #kill(name: NodeJS.Signals): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, name)
    } catch {
      // Nobody is left.
    }
  }
}
