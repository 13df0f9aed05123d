// The SQLite engine: writes go to a worker one after another, reads run here on a read-only
// connection with a bounded cache. When the worker fails or dies, everything that waits fails and
// nothing is written again.

import { DatabaseSync } from "node:sqlite"
import type { Worker } from "node:worker_threads"
import { type Deferred, deferred } from "../../base/async.ts"
import type { Engine, Marks, Page, Place, Row, RowHeader } from "../engine.ts"
import { storeFault } from "../faults.ts"
import { packedSize, packRows } from "./row-packing.ts"
import { nextTurn, SqliteReader } from "./sqlite-reader.ts"
import type { StoreMeta } from "./sqlite-schema.ts"
import type { WorkerData, WorkerReply, WorkerRequest } from "./sqlite-worker.ts"
import { startWorker } from "./start-worker.ts"

const firstBlockBytes = 1024 * 1024

export class SqliteEngine implements Engine {
  readonly meta: StoreMeta
  readonly #worker: Worker
  readonly #reader: SqliteReader
  /** Requests that wait for the worker, in the order it answers. */
  readonly #waiting: Deferred<void>[] = []
  readonly #failure = deferred<unknown>()
  readonly failure = this.#failure.promise
  /** The batch under way, shared with the worker; there is never more than one. */
  #block = new SharedArrayBuffer(firstBlockBytes)
  #failed: Error | undefined
  #closing = false

  private constructor(worker: Worker, meta: StoreMeta, reader: SqliteReader) {
    this.#worker = worker
    this.#reader = reader
    this.meta = meta
    worker.on("message", (reply: WorkerReply) => this.#answer(reply))
    worker.on("error", (error) => this.#fail(error))
    worker.on("exit", () => this.#fail(new Error("the store's worker has ended")))
  }

  /** The file must exist and hold our tables; a file: URL. */
  static async open(url: string): Promise<SqliteEngine> {
    const data: WorkerData = { url }
    const worker = startWorker("sqlite-worker", import.meta.url, data)
    try {
      const reply = await firstReply(worker)
      if (reply.kind === "failed") throw storeFault("SPT-STORE-011", { cause: reply.cause })
      if (reply.kind !== "ready") throw storeFault("SPT-STORE-007", { cause: "no worker" })
      const db = new DatabaseSync(`${url}?mode=ro`, { readOnly: true, timeout: 5000 })
      return new SqliteEngine(worker, reply.meta, new SqliteReader(db))
    } catch (error) {
      await worker.terminate()
      throw error
    }
  }

  async load(each: (header: RowHeader) => void): Promise<Marks> {
    this.#reader.load(each)
    return this.meta
  }

  async append(rows: readonly Row[]): Promise<void> {
    const bytes = packedSize(rows)
    if (bytes > this.#block.byteLength) this.#block = new SharedArrayBuffer(bytes * 2)
    packRows(rows, this.#block)
    await this.#ask({ kind: "append", block: this.#block, bytes })
    for (const row of rows) this.#reader.cache.add(row)
  }

  read(places: readonly Place[]): Promise<readonly (Row | undefined)[]> {
    return this.#reader.read(places)
  }

  scan(after: Place, to: Place, limit: number): Promise<Page> {
    return this.#reader.scan(after, to, limit)
  }

  async sweep(marks: Marks, places: readonly Place[]): Promise<void> {
    const { compacted, swept } = marks
    await this.#ask({ kind: "sweep", compacted, swept, places: Float64Array.from(places) })
    for (const place of places) this.#reader.cache.remove(place)
  }

  pause(): Promise<void> {
    return nextTurn()
  }

  async close(): Promise<void> {
    this.#closing = true
    this.#reader.close()
    try {
      await this.#ask({ kind: "close" })
    } finally {
      await this.#worker.terminate()
    }
  }

  #ask(request: WorkerRequest): Promise<void> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed)
    const answer = deferred<void>()
    this.#waiting.push(answer)
    this.#worker.postMessage(request)
    return answer.promise
  }

  #answer(reply: WorkerReply): void {
    const waiting = this.#waiting.shift()
    if (reply.kind !== "failed") waiting?.resolve()
    else if (reply.clean) waiting?.reject(storeFault("SPT-STORE-006", { cause: reply.cause }))
    else {
      const error = new Error(reply.cause)
      waiting?.reject(error)
      this.#fail(error)
    }
  }

  #fail(error: Error): void {
    if (this.#closing && this.#waiting.length === 0) return
    this.#failed ??= error
    this.#failure.resolve(this.#failed)
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#failed)
  }
}

function firstReply(worker: Worker): Promise<WorkerReply> {
  return new Promise((resolve, reject) => {
    worker.once("message", resolve)
    worker.once("error", reject)
    worker.once("exit", () => reject(new Error("the store's worker did not start")))
  })
}
