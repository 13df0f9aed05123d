// Group commit: one bounded batch is being written, everything else waits for the next. Revisions
// are given when a batch is decided; answers, index and watchers follow only after the engine said
// that the batch is durable. A failed batch fails all of its commits and publishes nothing.

import { type Deferred, deferred } from "../base/async.ts"
import { type Fault, isFault } from "../base/faults.ts"
import type { Check, Committed, Refused, Write } from "../contract/store.ts"
import {
  type BatchView,
  type CommitRequest,
  type DecidedBatch,
  type Decision,
  decideBatch,
} from "./commit-batch.ts"
import type { Engine, Row } from "./engine.ts"
import { storeFault } from "./faults.ts"
import { reservedPrefix } from "./limits.ts"

const maxBatchCommits = 256
/** Fewer commits than this go together, in one sync. */
const splitFrom = 128
const maxBatchBytes = 4 * 1024 * 1024
const maxWaiting = 65_536
const maxWaitingBytes = 128 * 1024 * 1024

interface Waiting {
  readonly checks: readonly Check[]
  /** A function is asked when its turn comes, alone in its batch. */
  readonly writes: readonly Write[] | (() => readonly Write[])
  readonly bytes: number
  readonly answer: Deferred<Committed | Refused>
}

/** A batch that the engine has written and nobody knows of yet. */
interface Durable {
  readonly decided: DecidedBatch | undefined
  readonly touchesLeases: boolean
  finish(): void
}

export interface CommitQueueOptions {
  readonly engine: Engine
  readonly view: BatchView
  /** Makes the batch readable and tells the watchers. */
  publish(batch: DecidedBatch): void
  /** The engine must not be written to any more. */
  fail(cause: unknown): void
}

export class CommitQueue {
  readonly #options: CommitQueueOptions
  #waiting: Waiting[] = []
  #bytes = 0
  #lastBatch = 0
  #running: Promise<void> | undefined
  #closed: Fault | undefined

  constructor(options: CommitQueueOptions) {
    this.#options = options
  }

  add(
    checks: readonly Check[],
    writes: Waiting["writes"],
    bytes: number,
  ): Promise<Committed | Refused> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    if (this.#waiting.length >= maxWaiting || this.#bytes + bytes > maxWaitingBytes)
      return Promise.reject(storeFault("SPT-STORE-004", { waiting: this.#waiting.length }))
    const answer = deferred<Committed | Refused>()
    this.#waiting.push({ checks, writes, bytes, answer })
    this.#bytes += bytes
    this.#running ??= this.#run()
    return answer.promise
  }

  /** Refuses what waits and everything later; ends when the batch under way has ended. */
  async close(fault: Fault): Promise<void> {
    this.#closed ??= fault
    this.#refuseWaiting(fault)
    await this.#running
  }

  /**
   * When a batch is durable the next one is handed over first, and then that batch is published and
   * answered: while the engine writes, its writers are served, and neither side waits.
   */
  async #run(): Promise<void> {
    await null // Commits of one turn share the first batch.
    let durable: Durable | undefined
    while (this.#waiting.length > 0) {
      const writing = this.#write(this.#take(), durable)
      durable?.finish()
      durable = await writing
      // A lease that ends or begins changes what the next batch may do: publish it first.
      if (this.#waiting.length > 0 && !durable.touchesLeases) continue
      durable.finish()
      durable = undefined
      // Writers that were just answered get their next commit into the next batch.
      await this.#options.engine.pause()
    }
    this.#running = undefined
  }

  /** Half of all commits that are on their way, so that there are two batches to alternate. */
  #take(): Waiting[] {
    const onTheWay = this.#waiting.length + this.#lastBatch
    const most =
      onTheWay < splitFrom ? maxBatchCommits : Math.min(maxBatchCommits, Math.ceil(onTheWay / 2))
    let count = 0
    let bytes = 0
    for (const waiting of this.#waiting) {
      const alone = typeof waiting.writes === "function"
      if (count > 0 && (alone || bytes + waiting.bytes > maxBatchBytes)) break
      count++
      bytes += waiting.bytes
      if (alone || count === most) break
    }
    const batch = this.#waiting.slice(0, count)
    this.#waiting = this.#waiting.slice(count)
    this.#bytes -= bytes
    this.#lastBatch = count
    return batch
  }

  /** Decides and writes a batch. Never rejects; a failure is told when it is finished. */
  async #write(batch: readonly Waiting[], before: Durable | undefined): Promise<Durable> {
    const { engine, view, publish, fail } = this.#options
    try {
      const requests = batch.map(
        ({ checks, writes }): CommitRequest => ({
          checks,
          writes: typeof writes === "function" ? writes() : writes,
        }),
      )
      const decided = decideBatch(requests, view, before?.decided)
      if (decided.rows.length > 0) {
        await engine.append(decided.rows)
        if (this.#closed?.fault === "bug") throw this.#closed
      }
      return {
        decided,
        touchesLeases: decided.rows.some(isAboutLeases),
        finish() {
          if (decided.rows.length > 0) publish(decided)
          answerAll(batch, decided.decisions)
        },
      }
    } catch (error) {
      const noSpace = isFault(error) && error.code === "SPT-STORE-006"
      if (!noSpace) fail(error)
      const fault = noSpace || this.#closed === undefined ? error : this.#closed
      const finish = () => {
        for (const { answer } of batch) answer.reject(fault)
      }
      return { decided: undefined, touchesLeases: true, finish }
    }
  }

  #refuseWaiting(fault: Fault): void {
    for (const { answer } of this.#waiting) answer.reject(fault)
    this.#waiting = []
    this.#bytes = 0
  }
}

function isAboutLeases(row: Row): boolean {
  return row.lease !== undefined || row.version === 0 || row.key.startsWith(reservedPrefix)
}

function answerAll(batch: readonly Waiting[], decisions: readonly Decision[]): void {
  decisions.forEach((decision, index) => {
    const answer = batch[index]?.answer
    if (decision.kind === "failed") answer?.reject(decision.fault)
    else answer?.resolve(decision)
  })
}
