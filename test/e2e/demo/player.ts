// A real demo that is played by writing keys to its input, and what it does to the world: files,
// manifests, processes, requests. Looked up on this host, not in what the demo says.

import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { processesOf } from "../../../src/cli/demo/leftovers.ts"
import type { RunningCommand } from "../cli-server-rig.ts"

export class Player {
  readonly demo: RunningCommand
  #seen = 0

  constructor(demo: RunningCommand) {
    this.demo = demo
  }

  /** Once it is up and shows its keys. */
  static async ready(demo: RunningCommand): Promise<Player> {
    await demo.said(/q {2}quit/)
    return new Player(demo)
  }

  get folder(): string {
    return /Setpoint demo in ([\w/.-]+)/.exec(this.demo.stdout)?.[1] ?? "unknown"
  }

  /** What it said to the key, once it is done with it. */
  async press(key: string): Promise<string> {
    return this.say(key, /web: \d+ requests, \d+ failed\n/)
  }

  /** What it said since the keys, once that holds the pattern. */
  async say(keys: string, pattern: RegExp): Promise<string> {
    this.#seen = this.demo.stdout.length
    this.demo.child.stdin?.write(keys)
    await this.demo.said(new RegExp(`^[^]{${this.#seen}}[^]*${pattern.source}`))
    return this.demo.stdout.slice(this.#seen)
  }

  /** Requests and failed ones so far, as the demo counts them. */
  get counters(): { readonly requests: number; readonly failed: number } {
    const all = [...this.demo.stdout.matchAll(/web: (\d+) requests, (\d+) failed\n/g)]
    const [, requests = "0", failed = "0"] = all.at(-1) ?? []
    return { requests: Number(requests), failed: Number(failed) }
  }

  path(...names: readonly string[]): string {
    return join(this.folder, ...names)
  }

  page(number: number): string {
    return this.path("www", `page-${String(number).padStart(3, "0")}.html`)
  }

  count(folder: string): number {
    return readdirSync(this.path(folder)).length
  }

  /** Process ids of the replicas, with the version they run. */
  replicas(): { readonly pid: number; readonly version: string }[] {
    return this.#with((argv) => argv.some((one) => one.endsWith("/server.mjs"))).map((pid) => {
      const entries = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")
      const version = entries.find((one) => one.startsWith("VERSION="))?.slice("VERSION=".length)
      return { pid, version: version ?? "" }
    })
  }

  /** Process ids of what the tenant runs. */
  work(): number[] {
    return this.#with(([program, seconds]) => program === "/bin/sleep" && seconds === "1000000")
  }

  /** Of the programs themselves, not of the shims that look after them. */
  #with(is: (argv: readonly string[]) => boolean): number[] {
    return processesOf(this.folder).filter((pid) => {
      const argv = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
      return !argv[0]?.endsWith("/sh") && is(argv)
    })
  }
}

export const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`)
