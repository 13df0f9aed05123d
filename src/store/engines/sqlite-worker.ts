// The writing side of the SQLite engine, in its own thread so that a slow disk never holds up the
// plane. It answers a batch only after COMMIT returned (WAL, synchronous=FULL: the log is synced
// then), and keeps the WAL short after answering. It never repeats a failed write.

import { DatabaseSync, type StatementSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"
import { isFault } from "../../base/faults.ts"
import { unpackRows } from "./row-packing.ts"
import { checksumOf, insertRow, readMeta, type StoreMeta } from "./sqlite-schema.ts"

export type WorkerRequest =
  | { readonly kind: "append"; readonly block: SharedArrayBuffer; readonly bytes: number }
  | {
      readonly kind: "sweep"
      readonly compacted: number
      readonly swept: number
      readonly places: Float64Array
    }
  | { readonly kind: "close" }

export type WorkerReply =
  | { readonly kind: "ready"; readonly meta: StoreMeta }
  | { readonly kind: "done" }
  /** `clean`: nothing of the request happened and the next one may be tried. */
  | { readonly kind: "failed"; readonly clean: boolean; readonly cause: string; code: string }

export interface WorkerData {
  /** A file: URL. */
  readonly url: string
}

const sqliteFull = 13
const checkpointPages = 1024
const pageBytes = 4096
const freePagesKept = 8192
const freePagesPerStep = 512

const port = parentPort
if (port === null) throw new Error("sqlite-worker.ts runs as a worker only")
const send = (reply: WorkerReply) => port.postMessage(reply)

class Writer {
  readonly #db: DatabaseSync
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #insert: StatementSync
  readonly #delete: StatementSync
  readonly #mark: StatementSync
  readonly meta: StoreMeta
  #walPages = 0

  constructor(url: string) {
    this.#db = new DatabaseSync(`${url}?mode=rw`, { timeout: 5000 })
    this.#db.exec("PRAGMA trusted_schema=OFF")
    this.meta = readMeta(this.#db)
    const mode = this.#db.prepare("PRAGMA journal_mode=WAL").get()
    if (mode?.journal_mode !== "wal") throw new Error("write-ahead logging is not available")
    this.#db.exec("PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=-16384")
    this.#db.exec("PRAGMA journal_size_limit=67108864")
    this.#begin = this.#db.prepare("BEGIN IMMEDIATE")
    this.#commit = this.#db.prepare("COMMIT")
    this.#insert = this.#db.prepare(insertRow)
    this.#delete = this.#db.prepare("DELETE FROM rows WHERE place = ?")
    this.#mark = this.#db.prepare("UPDATE meta SET value = ? WHERE name = ?")
  }

  append(block: SharedArrayBuffer, bytes: number): void {
    this.#begin.run()
    for (const row of unpackRows(block)) {
      const { place, key, createRevision, previousRevision, version, lease, value } = row
      const sum = checksumOf(row)
      const cells = [createRevision, previousRevision, version, lease ?? null, sum] as const
      this.#insert.run(place, key, ...cells, value)
    }
    this.#commit.run()
    this.#walPages += Math.ceil(bytes / pageBytes) + 3
  }

  sweep(compacted: number, swept: number, places: Float64Array): void {
    this.#begin.run()
    for (const place of places) this.#delete.run(place)
    this.#mark.run(String(compacted), "compacted")
    this.#mark.run(String(swept), "swept")
    this.#commit.run()
    this.#walPages += places.length + 3
  }

  /** Between answers: moves the WAL into the file and gives free pages back, a few at a time. */
  tidy(swept: boolean): void {
    if (swept) {
      const free = Number(this.#db.prepare("PRAGMA freelist_count").get()?.freelist_count ?? 0)
      if (free > freePagesKept) this.#db.exec(`PRAGMA incremental_vacuum(${freePagesPerStep})`)
    }
    if (this.#walPages < checkpointPages) return
    this.#db.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()
    this.#walPages = 0
  }

  /** True when the transaction that failed is undone and the database can be used. */
  rollBack(): boolean {
    try {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK")
      return !this.#db.isTransaction
    } catch {
      return false
    }
  }

  close(): void {
    this.#db.close()
  }
}

function isFull(error: unknown): boolean {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return false
  return (Number(error.errcode) & 0xff) === sqliteFull
}

function failure(error: unknown, clean: boolean): WorkerReply {
  const cause = error instanceof Error ? error.message : String(error)
  return { kind: "failed", clean, cause, code: isFault(error) ? error.code : "" }
}

function serve(writer: Writer, request: WorkerRequest): void {
  try {
    if (request.kind === "append") writer.append(request.block, request.bytes)
    else if (request.kind === "sweep")
      writer.sweep(request.compacted, request.swept, request.places)
    else writer.close()
  } catch (error) {
    send(failure(error, isFull(error) && writer.rollBack()))
    return
  }
  send({ kind: "done" })
  if (request.kind === "close") {
    port?.close()
    return
  }
  try {
    writer.tidy(request.kind === "sweep")
  } catch (error) {
    // No space to checkpoint is no loss: the WAL keeps everything. Anything else is a bad disk.
    if (!(isFull(error) && writer.rollBack())) throw error
  }
}

try {
  const { url } = workerData as WorkerData
  const writer = new Writer(url)
  port.on("message", (request: WorkerRequest) => serve(writer, request))
  send({ kind: "ready", meta: writer.meta })
} catch (error) {
  send(failure(error, false))
}
