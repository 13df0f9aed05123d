// Places without a plane: what another plane, or a person with a shell, does to processes.

import { existsSync, readFileSync, readlinkSync } from "node:fs"
import { isFault } from "../../../../base/faults.ts"
import type { JsonObject } from "../../../../base/json.ts"
import type { ProcessesAct } from "../../../../contract/processes.ts"
import { noteOf, startRequest } from "../../order.ts"
import { processSpec } from "../../process-spec.ts"
import { killAllBelow, programsBelow, type Running } from "./process-rig.ts"

export class PlacesByHand {
  readonly root: string
  readonly #processes: ProcessesAct
  readonly #signal = new AbortController().signal

  constructor(root: string, processes: ProcessesAct) {
    this.root = root
    this.#processes = processes
  }

  /** Kills what runs there. */
  async end({ id }: JsonObject): Promise<void> {
    const { identity } = (await this.#processes.look(`${this.root}/${id}`)) ?? {}
    if (identity === undefined) return
    if (!(await this.#processes.signal(identity, "SIGKILL"))) return
    await this.#processes.gone(identity, 10_000, this.#signal)
  }

  /** Starts what the spec says, instead of what runs there; a plane may bring that back at once. */
  async make(given: JsonObject): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#start(given)
      } catch (error) {
        if (tries === 20 || !isFault(error) || error.code !== "SPT-PROV-031") throw error
      }
    }
  }

  async #start(given: JsonObject): Promise<void> {
    await this.end(given)
    const spec = processSpec.parse(given)
    const directory = `${this.root}/${given.id}`
    const run = ((await this.#processes.look(directory))?.run ?? 0) + 1
    const note = noteOf(spec, "somebody else", { failures: 0, restarts: 0 })
    const request = startRequest(spec, { directory, run }, note)
    const { pid } = await this.#processes.start(request, this.#signal)
    await becomes(pid, spec.command)
  }

  with(field: string, value: JsonObject[string]): (spec: JsonObject) => Promise<void> {
    return (spec) => this.make({ ...spec, [field]: value })
  }

  async remove(spec: JsonObject): Promise<void> {
    const directory = `${this.root}/${spec.id}`
    await this.end(spec)
    await this.#processes.remove(directory)
    // A plane may have started it again a moment before its place went: that one ends as well.
    for (const { pid, place } of programsBelow(this.root)) {
      if (place !== directory || existsSync(directory)) continue
      try {
        process.kill(pid, "SIGKILL")
      } catch {
        // It has ended by itself.
      }
    }
  }

  /** What runs, by id, as the kernel says it. */
  facts(): [string, JsonObject][] {
    return programsBelow(this.root).flatMap((one): [string, JsonObject][] => {
      const facts = factsOf(one)
      return facts === undefined ? [] : [[one.place.slice(this.root.length + 1), facts]]
    })
  }

  close(): void {
    killAllBelow(this.root)
  }
}

/** For a moment it is the shim, then what changes its user: facts must not change later. */
async function becomes(pid: number, command: readonly string[]): Promise<void> {
  const wanted = command.map((word) => `${word}\0`).join("")
  for (let tries = 0; tries < 1000; tries++) {
    try {
      const now = readFileSync(`/proc/${pid}/cmdline`, "utf8")
      if (now === wanted) return
    } catch {
      return // It has ended by itself.
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Undefined when it ended while it was looked at. */
function factsOf({ pid, place, run, argv, env }: Running): JsonObject | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, "utf8"))
    const { revision } = JSON.parse(readFileSync(`${place}/order.${run}`, "utf8")).note
    const [, owner] = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
    const secretEnv = [{ name: "TOKEN", value: env.get("TOKEN") ?? "" }]
    const rest = { cwd: readlinkSync(`/proc/${pid}/cwd`), revision, user: String(owner) }
    const limits = { openFiles: Number(limit?.[1]) }
    return { command: [...argv], env: { KEY: env.get("KEY") ?? "" }, limits, secretEnv, ...rest }
  } catch {
    return undefined
  }
}
