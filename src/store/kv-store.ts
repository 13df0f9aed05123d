// The store: the port's semantics over an engine. It composes the parts beside it; each promise
// of the port lives in one of them. Once the engine has failed, every call fails for good.

import type { Clock } from "../base/clock.ts"
import { type Fault, isFault } from "../base/faults.ts"
import { hex, type Random } from "../base/random.ts"
import type {
  Check,
  Committed,
  Compacted,
  Entry,
  RangeQuery,
  RangeResult,
  Refused,
  Revision,
  Store,
  StoreIdentity,
  WatchEvent,
  WatchOptions,
  Write,
} from "../contract/store.ts"
import { byRevision, changeOf, type DecidedBatch } from "./commit-batch.ts"
import { CommitQueue } from "./commit-queue.ts"
import { Compaction } from "./compaction.ts"
import { type Engine, lastPlace, type Marks, type Row, revisionOf } from "./engine.ts"
import { storeFault } from "./faults.ts"
import { IndexBuilder } from "./index-builder.ts"
import { KeyIndex } from "./key-index.ts"
import { LeaseBook, leasePrefix } from "./lease-book.ts"
import { requireCommit, requireKey, requireRange, reservedPrefix } from "./limits.ts"
import { Retention, type RetentionOptions } from "./retention.ts"
import { watchStore } from "./watch.ts"
import { WatchHub, type WatchLimits } from "./watch-hub.ts"

export const epochKey = `${reservedPrefix}epoch`
export const restoredKey = `${reservedPrefix}restored`

export interface KvStoreOptions {
  readonly engine: Engine
  readonly clock: Clock
  readonly random: Random
  readonly planeId: string
  readonly retention: RetentionOptions
  readonly watchLimits: WatchLimits
  /** Called once when the engine has failed; the process should end. */
  readonly onFatal?: (fault: Fault) => void
  /** Nothing is written, not even the epoch. */
  readonly readOnly?: boolean
}

export class KvStore implements Store {
  readonly #options: KvStoreOptions
  readonly #engine: Engine
  readonly #index = new KeyIndex()
  readonly #hub = new WatchHub()
  readonly #leases: LeaseBook
  readonly #queue: CommitQueue
  readonly #retention: Retention
  #compaction: Compaction
  #revision: Revision = 0
  #ended: Fault | undefined
  #identity: StoreIdentity

  private constructor(options: KvStoreOptions) {
    this.#options = options
    this.#engine = options.engine
    const { clock, planeId } = options
    this.#identity = { planeId, epoch: 0, epochCheck: checkOf(0), restored: false }
    this.#leases = new LeaseBook(clock, (lease) => this.#expire(lease))
    this.#compaction = new Compaction(this.#engine, this.#index, { compacted: 0, swept: 0 })
    this.#retention = new Retention(options.retention, clock, (before) => {
      this.compact(before).catch(() => {}) // A failure is either fatal and known, or tried again.
    })
    const store = this
    this.#queue = new CommitQueue({
      engine: this.#engine,
      view: {
        get revision() {
          return store.#revision
        },
        find: (key) => this.#index.find(key),
        leaseFault: (key, lease, more) => this.#leases.faultFor(key, lease, more),
      },
      publish: (batch) => this.#publish(batch),
      fail: (cause) => this.#fail(cause),
    })
    void options.engine.failure?.then((cause) => this.#fail(cause))
  }

  static async open(options: KvStoreOptions): Promise<KvStore> {
    const store = new KvStore(options)
    const builder = new IndexBuilder()
    const marks = await store.#engine.load((header) => {
      builder.add(header)
      if (header.lease !== undefined || header.version !== 1) store.#leases.attach(header)
      store.#revision = revisionOf(header.place)
    })
    store.#index.fill(builder)
    await store.#start(marks)
    return store
  }

  async #start(marks: Marks): Promise<void> {
    this.#revision = Math.max(this.#revision, marks.compacted)
    this.#compaction = new Compaction(this.#engine, this.#index, marks)
    const epochRow = await this.#current(epochKey)
    const before = epochRow === undefined ? 0 : Number(text(epochRow))
    if (!Number.isSafeInteger(before))
      throw storeFault("SPT-STORE-011", { cause: "its epoch is not a number" })
    const restored = (await this.#current(restoredKey)) !== undefined
    const { planeId } = this.#options
    if (this.#options.readOnly) {
      const check = checkOf(epochRow === undefined ? 0 : revisionOf(epochRow.place))
      this.#identity = { planeId, epoch: before, epochCheck: check, restored }
      return
    }
    for (const row of await this.#rowsUnder(leasePrefix)) this.#leases.follow(row)
    this.#leases.relink()
    const value = Buffer.from(String(before + 1))
    const raised = await this.#commitOwn([{ kind: "put", key: epochKey, value }])
    this.#identity = { planeId, epoch: before + 1, epochCheck: checkOf(raised.revision), restored }
    if (!this.#compaction.finished) this.compact(marks.compacted).catch(() => {})
  }

  get identity(): StoreIdentity {
    return this.#identity
  }

  get revision(): Revision {
    return this.#revision
  }

  /** The oldest revision that can be read. */
  get oldest(): Revision {
    return this.#compaction.oldest
  }

  /** Stored rows: current values, and the past that is still kept. */
  get rows(): number {
    return this.#index.size
  }

  async get(key: string, at?: Revision): Promise<Entry | Compacted | undefined> {
    this.#requireOpen()
    requireKey(key)
    for (;;) {
      const asOf = this.#asOf(at)
      if (typeof asOf !== "number") return asOf
      const entry = this.#index.find(key, lastPlace(asOf))
      if (entry === undefined || entry.version === 0) return undefined
      const [row] = await this.#engine.read([entry.place])
      if (row !== undefined) return entryOf(row)
      this.#requireForgotten(asOf)
    }
  }

  async range(query: RangeQuery): Promise<RangeResult | Compacted> {
    this.#requireOpen()
    const limit = requireRange(query)
    for (;;) {
      const revision = this.#asOf(query.at)
      if (typeof revision !== "number") return revision
      const asOf = lastPlace(revision)
      const places = this.#index.range(query.prefix, query.after, asOf, limit + 1)
      const more = places.length > limit
      const rows = await this.#engine.read(more ? places.slice(0, limit) : places)
      const entries: Entry[] = []
      for (const row of rows) if (row !== undefined) entries.push(entryOf(row))
      if (entries.length === rows.length) return { kind: "range", revision, entries, more }
      this.#requireForgotten(revision)
    }
  }

  async commit(checks: readonly Check[], writes: readonly Write[]): Promise<Committed | Refused> {
    this.#requireWritable("commit")
    const bytes = requireCommit(checks, writes, false)
    return this.#queue.add([...checks], writes.map(ownCopy), bytes)
  }

  watch(options: WatchOptions): AsyncIterable<WatchEvent> {
    const store = this
    const source = {
      engine: this.#engine,
      index: this.#index,
      hub: this.#hub,
      clock: this.#options.clock,
      limits: this.#options.watchLimits,
      get revision() {
        return store.#revision
      },
      get oldest() {
        return store.#compaction.oldest
      },
      requireOpen: () => this.#requireOpen(),
    }
    return { [Symbol.asyncIterator]: () => watchStore(source, options) }
  }

  async compact(before: Revision): Promise<void> {
    this.#requireWritable("compact")
    if (!Number.isSafeInteger(before) || before > this.#revision)
      throw storeFault("SPT-STORE-009", { revision: before, newest: this.#revision })
    try {
      await this.#compaction.compact(before)
    } catch (error) {
      if (!isNoSpace(error)) this.#fail(error)
      throw this.#ended ?? error
    }
  }

  async grantLease(ttlMs: number): Promise<string> {
    this.#requireWritable("grant a lease")
    if (!Number.isSafeInteger(ttlMs) || ttlMs <= 0)
      throw storeFault("SPT-STORE-003", { cause: `a lease of ${ttlMs} ms` })
    const id = hex(this.#options.random.bytes(12))
    const value = Buffer.from(String(ttlMs))
    await this.#commitOwn([{ kind: "put", key: `${leasePrefix}${id}`, value }])
    return id
  }

  async renewLease(lease: string): Promise<boolean> {
    this.#requireWritable("renew a lease")
    return this.#leases.renew(lease)
  }

  async revokeLease(lease: string): Promise<void> {
    this.#requireWritable("revoke a lease")
    if (!this.#leases.has(lease)) return
    this.#leases.markEnding(lease)
    const writes = (): Write[] =>
      [...this.#leases.keysOf(lease), `${leasePrefix}${lease}`].map((key) => ({
        kind: "delete",
        key,
        apart: true,
      }))
    try {
      await this.#queue.add([], writes, 0)
    } catch (error) {
      this.#leases.unmarkEnding(lease)
      throw error
    }
  }

  /** A full observation has happened since the restore. */
  async clearRestored(): Promise<void> {
    this.#requireWritable("clear the restored mark")
    await this.#commitOwn([{ kind: "delete", key: restoredKey }])
    this.#identity = { ...this.#identity, restored: false }
  }

  async close(): Promise<void> {
    if (this.#ended?.code === "SPT-STORE-008") return
    const failed = this.#ended !== undefined
    this.#ended ??= storeFault("SPT-STORE-008")
    this.#retention.close()
    this.#leases.close()
    await this.#compaction.stop()
    await this.#queue.close(this.#ended)
    this.#hub.end({ kind: "closed" })
    await this.#engine.close().catch((error) => {
      if (!failed) throw error
    })
  }

  async #commitOwn(writes: readonly Write[]): Promise<Committed> {
    const bytes = requireCommit([], writes, true)
    const answer = await this.#queue.add([], writes, bytes)
    if (answer.kind === "committed") return answer
    throw storeFault("SPT-STORE-007", { cause: "a commit without checks was refused" })
  }

  #publish(batch: DecidedBatch): void {
    for (const row of batch.rows) {
      this.#index.insert(row)
      if (row.lease !== undefined || row.version !== 1 || row.key.startsWith(leasePrefix))
        this.#leases.follow(row)
    }
    this.#revision = batch.revision
    this.#retention.wrote(batch.rows.length, batch.revision)
    if (!this.#hub.listening) return
    for (const { revision, rows } of byRevision(batch.rows))
      this.#hub.publish({ revision, changes: rows.map(changeOf) })
  }

  #expire(lease: string): void {
    if (this.#ended !== undefined) return
    this.revokeLease(lease).catch(() => {}) // The lease stays and is tried again, or all is over.
  }

  async #current(key: string): Promise<Row | undefined> {
    const entry = this.#index.find(key)
    if (entry === undefined || entry.version === 0) return undefined
    const [row] = await this.#engine.read([entry.place])
    return row
  }

  async #rowsUnder(prefix: string): Promise<Row[]> {
    const asOf = lastPlace(this.#revision)
    const places = this.#index.range(prefix, undefined, asOf, Number.POSITIVE_INFINITY)
    return (await this.#engine.read(places)).filter((row) => row !== undefined)
  }

  #asOf(at: Revision | undefined): Revision | Compacted {
    if (at === undefined) return this.#revision
    if (!Number.isSafeInteger(at) || at < 0 || at > this.#revision)
      throw storeFault("SPT-STORE-009", { revision: at, newest: this.#revision })
    const oldest = this.#compaction.oldest
    return at < oldest ? { kind: "compacted", oldest } : at
  }

  /** A row that a read needs can only be missing because the past was forgotten meanwhile. */
  #requireForgotten(asOf: Revision): void {
    this.#requireOpen()
    if (asOf < this.#compaction.oldest) return
    const fault = storeFault("SPT-STORE-011", { cause: "a stored row is missing" })
    this.#fail(fault)
    throw fault
  }

  #requireOpen(): void {
    if (this.#ended !== undefined) throw this.#ended
  }

  #requireWritable(what: string): void {
    this.#requireOpen()
    if (this.#options.readOnly) throw storeFault("SPT-STORE-010", { what })
  }

  #fail(cause: unknown): void {
    if (this.#ended !== undefined) return
    const message = cause instanceof Error ? cause.message : String(cause)
    const fault = storeFault("SPT-STORE-007", { cause: message }, cause)
    this.#ended = fault
    this.#retention.close()
    this.#leases.close()
    void this.#queue.close(fault)
    this.#hub.end({ kind: "failed", fault })
    this.#options.onFatal?.(fault)
  }
}

function isNoSpace(error: unknown): boolean {
  return isFault(error) && error.code === "SPT-STORE-006"
}

function checkOf(modRevision: Revision): Check {
  return { key: epochKey, modRevision }
}

function text(row: Row): string {
  return Buffer.from(row.value).toString("utf8")
}

/** A caller may change its bytes later; what was committed must not change with them. */
function ownCopy(write: Write): Write {
  return write.kind === "put" ? { ...write, value: Buffer.from(write.value) } : { ...write }
}

function entryOf(row: Row): Entry {
  const entry = {
    key: row.key,
    value: row.value,
    createRevision: row.createRevision,
    modRevision: revisionOf(row.place),
    version: row.version,
  }
  return row.lease === undefined ? entry : { ...entry, lease: row.lease }
}
