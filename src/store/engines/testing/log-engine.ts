// An append log on a small disk port, with its rows mirrored in memory: the engine that runs on the
// simulated disk. One batch is one frame, synced before it counts. It never repeats a failed
// sync, and gives no space back.

import type { Engine, Marks, Page, Place, Row, RowHeader } from "../../engine.ts"
import { storeFault } from "../../faults.ts"
import { MemoryEngine } from "../memory-engine.ts"
import { packedSize, packRows, unpackRows } from "../row-packing.ts"
import type { LogDisk } from "./log-disk.ts"
import { frameOf, readFrames } from "./log-frames.ts"

const kindRows = 1
const kindSweep = 2

export class LogEngine implements Engine {
  readonly #disk: LogDisk
  readonly #memory = new MemoryEngine()
  #end = 0
  #failed: unknown

  constructor(disk: LogDisk) {
    this.#disk = disk
  }

  async load(each: (header: RowHeader) => void): Promise<Marks> {
    const size = await this.#disk.size()
    const log = Buffer.from(await this.#disk.read(0, size))
    const payloads: Uint8Array[] = []
    this.#end = readFrames(log, (payload) => payloads.push(payload))
    for (const payload of payloads) await this.#replay(payload)
    if (this.#end < size) {
      await this.#disk.truncate(this.#end)
      await this.#disk.sync()
    }
    return this.#memory.load(each)
  }

  async append(rows: readonly Row[]): Promise<void> {
    const block = new ArrayBuffer(packedSize(rows))
    packRows(rows, block)
    await this.#log(kindRows, new Uint8Array(block))
    await this.#memory.append(rows)
  }

  async sweep(marks: Marks, places: readonly Place[]): Promise<void> {
    const numbers = Float64Array.from([marks.compacted, marks.swept, ...places])
    await this.#log(kindSweep, new Uint8Array(numbers.buffer))
    await this.#memory.sweep(marks, places)
  }

  read(places: readonly Place[]): Promise<readonly (Row | undefined)[]> {
    return this.#memory.read(places)
  }

  scan(after: Place, to: Place, limit: number): Promise<Page> {
    return this.#memory.scan(after, to, limit)
  }

  async pause(): Promise<void> {}

  async close(): Promise<void> {}

  async #log(kind: number, payload: Uint8Array): Promise<void> {
    if (this.#failed !== undefined) throw this.#failed
    const frame = frameOf(Buffer.concat([Uint8Array.of(kind), payload]))
    try {
      await this.#write(frame)
      await this.#disk.sync()
    } catch (error) {
      if (!isNoSpace(error)) this.#failed = error
      throw error
    }
    this.#end += frame.length
  }

  async #write(frame: Uint8Array): Promise<void> {
    try {
      await this.#disk.write(this.#end, frame)
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error
      await this.#disk.truncate(this.#end)
      throw storeFault("SPT-STORE-006", { cause: error.message }, error)
    }
  }

  async #replay(payload: Uint8Array): Promise<void> {
    const body = Uint8Array.from(payload.subarray(1)).buffer
    if (payload[0] === kindRows) return this.#memory.append([...unpackRows(body)])
    const [compacted = 0, swept = 0, ...places] = new Float64Array(body)
    await this.#memory.sweep({ compacted, swept }, places)
  }
}

function isNoSpace(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SPT-STORE-006"
}
