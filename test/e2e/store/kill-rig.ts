// Starts the writer, kills it with SIGKILL under load, and compares what it said with what the
// directory holds. Everything it finds wrong is a line in `problems`.

import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { openReadOnlyStore } from "../../../src/store/engines/open-read-only-store.ts"

const writer = fileURLToPath(new URL("./writer.ts", import.meta.url))

/** A line that the kill cut off was never said. */
async function* wholeLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = ""
  for await (const chunk of stream) {
    const lines = (rest + chunk.toString("latin1")).split("\n")
    rest = lines.pop() ?? ""
    yield* lines
  }
}

export class KillRig {
  readonly problems: string[] = []
  readonly #directory: string
  readonly #mode: string
  /** Highest acknowledged count of each key, over all lives. */
  readonly #acknowledged = new Map<string, number>()
  /** The count of each key that the watch has seen, over all lives. */
  readonly #seen = new Map<string, number>()
  #lastSeen = 0
  #lastRevision = 0
  #lastEpoch = 0
  acknowledgements = 0
  events = 0

  constructor(directory: string, mode: "load" | "early") {
    this.#directory = directory
    this.#mode = mode
  }

  /** One life of the writer: it is killed so many milliseconds after its first acknowledgement. */
  async cycle(killAfterMs: number): Promise<void> {
    const args = [writer, this.#directory, this.#mode, String(this.#lastSeen)]
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
    let errors = ""
    child.stderr.on("data", (chunk) => {
      errors += String(chunk)
    })
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
    let armed = false
    const tooLong = setTimeout(() => child.kill("SIGKILL"), 30_000)
    for await (const line of wholeLines(child.stdout)) {
      this.#read(line)
      if (armed || !line.startsWith("ack")) continue
      armed = true
      setTimeout(() => child.kill("SIGKILL"), killAfterMs)
    }
    await ended
    clearTimeout(tooLong)
    if (!armed) this.problems.push(`the writer said nothing: ${errors.slice(0, 500)}`)
    else if (child.signalCode !== "SIGKILL") this.problems.push(`it ended: ${errors.slice(0, 500)}`)
    await this.#verify()
  }

  #read(line: string): void {
    const [kind, revision, ...rest] = line.split(" ")
    if (kind === "open") {
      const epoch = Number(rest[0])
      if (Number(revision) <= this.#lastRevision) this.problems.push(`revision went back: ${line}`)
      if (epoch <= this.#lastEpoch) this.problems.push(`epoch went back: ${line}`)
      this.#lastEpoch = epoch
    } else if (kind === "ack") this.#readAck(Number(revision), rest[0] ?? "", Number(rest[1]))
    else if (kind === "saw") this.#readSaw(Number(revision), rest)
  }

  #readAck(revision: number, key: string, count: number): void {
    this.acknowledgements++
    this.#lastRevision = Math.max(this.#lastRevision, revision)
    const before = this.#acknowledged.get(key) ?? 0
    if (count <= before) this.problems.push(`${key}=${count} acknowledged after ${before}`)
    this.#acknowledged.set(key, count)
  }

  #readSaw(revision: number, changes: readonly string[]): void {
    this.events++
    if (revision <= this.#lastSeen)
      this.problems.push(`watch repeated ${revision} after ${this.#lastSeen}`)
    this.#lastSeen = revision
    for (const change of changes) {
      const [key = "", text] = change.split("=")
      const before = this.#seen.get(key) ?? 0
      const count = Number(text)
      if (count !== before + 1) this.problems.push(`watch saw ${change} after ${key}=${before}`)
      this.#seen.set(key, count)
    }
  }

  async #verify(): Promise<void> {
    const store = await openReadOnlyStore(this.#directory)
    try {
      if (store.revision < this.#lastRevision)
        this.problems.push(`revision ${store.revision} is below ${this.#lastRevision}`)
      if (store.revision < this.#lastSeen)
        this.problems.push(`revision ${store.revision} was published as ${this.#lastSeen}`)
      this.#lastRevision = Math.max(this.#lastRevision, store.revision)
      for (const [key, count] of this.#acknowledged) {
        const [stored = 0, twin] = await Promise.all(
          [key, `${key}/twin`].map(async (one) => {
            const found = await store.get(one)
            const bytes = found === undefined || "kind" in found ? "" : found.value
            return Number(Buffer.from(bytes).toString().split(" ")[0])
          }),
        )
        if (stored !== twin) this.problems.push(`half: ${key}=${stored}, its twin is ${twin}`)
        if (stored >= count) continue
        this.problems.push(`lost: ${key}=${count} was acknowledged, ${stored} is stored`)
        this.#acknowledged.set(key, stored)
      }
    } finally {
      await store.close()
    }
  }
}
