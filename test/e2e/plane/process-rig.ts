// What tests of processes need besides a plane: ports that nobody uses, clients that count, and
// what really runs, read from /proc and not from the plane.

import { readdirSync, readFileSync } from "node:fs"
import { request } from "node:http"
import { createServer } from "node:net"
import { pause } from "./wait-for.ts"

/** The first of so many ports in a row that are free, below those that the kernel gives away. */
export async function freePorts(count: number): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const base = 15_000 + Math.floor(Math.random() * (30_000 - 15_000))
    const free = await Promise.all(
      Array.from({ length: count }, (_, index) => isFree(base + index)),
    )
    if (free.every((one) => one)) return base
  }
  throw new Error(`no ${count} free ports in a row`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
}

/** Clients that ask again and again, each on a connection of its own, and count. */
export class Load {
  readonly answers = new Map<string, number>()
  readonly failures: string[] = []
  asked = 0
  readonly #port: number
  #stopped = false
  readonly #clients: readonly Promise<void>[]

  constructor(port: number, clients: number) {
    this.#port = port
    this.#clients = Array.from({ length: clients }, () => this.#client())
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#clients)
  }

  /** Waits for so many more answers, so that what was done was done under load. */
  async more(count: number): Promise<void> {
    const until = this.asked + count
    while (this.asked < until) await pause(5)
  }

  async #client(): Promise<void> {
    while (!this.#stopped) {
      const answer = await ask(this.#port)
      this.asked++
      if (/^v\w+ \d+\n$/.test(answer)) {
        this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1)
      } else this.failures.push(answer)
      await pause(5)
    }
  }
}

/** The body of an answer with 200, or what went wrong. */
export function ask(port: number): Promise<string> {
  return new Promise((resolve) => {
    const headers = { connection: "close" }
    const sent = request({ port, host: "127.0.0.1", agent: false, headers }, (response) => {
      let body = ""
      response.on("data", (chunk) => {
        body += String(chunk)
      })
      response.on("error", (error) => resolve(`cut off: ${error.message}`))
      response.on("end", () => {
        resolve(response.statusCode === 200 ? body : `status ${response.statusCode}`)
      })
    })
    sent.setTimeout(60_000, () => sent.destroy(new Error("no answer in a minute")))
    sent.on("error", (error) => resolve(`failed: ${error.message}`))
    sent.end()
  })
}

/** Processes with exactly this command line, and this in their environment. */
export function pidsRunning(argv: readonly string[], entry: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const entries = readFileSync(`/proc/${name}/environ`, "utf8").split("\0")
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8")
        return command === `${argv.join("\0")}\0` && entries.includes(entry)
      } catch {
        return false // It ended meanwhile, or is somebody else's.
      }
    })
    .map(Number)
}

/** Pids of living Node processes with this argument and this entry in their environment. */
export function pidsWith(argument: string, entry: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const entries = readFileSync(`/proc/${name}/environ`, "utf8").split("\0")
        const state = readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]
        const [program, ...args] = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0")
        const ours = program === process.execPath && args.includes(argument)
        return ours && entries.includes(entry) && state?.startsWith("Z") === false
      } catch {
        return false // It ended meanwhile, or is somebody else's.
      }
    })
    .map(Number)
}
