// Decides how much of the past is kept: so long, and at most so many rows. It keeps a few samples
// of (time, revision), has a timer only while there is something to forget, and never forgets
// current values (compaction can't).

import type { Clock, Timer } from "../base/clock.ts"
import type { Revision } from "../contract/store.ts"

export interface RetentionOptions {
  readonly maxAgeMs: number
  readonly maxRows: number
}

export const defaultRetention: RetentionOptions = { maxAgeMs: 5 * 60_000, maxRows: 1_000_000 }

interface Sample {
  readonly at: number
  readonly revision: Revision
  readonly rows: number
}

export class Retention {
  readonly #options: RetentionOptions
  readonly #clock: Clock
  readonly #compact: (before: Revision) => void
  #samples: Sample[] = []
  #rows = 0
  #timer: Timer | undefined
  #closed = false

  constructor(options: RetentionOptions, clock: Clock, compact: (before: Revision) => void) {
    this.#options = options
    this.#clock = clock
    this.#compact = compact
  }

  /** Rows were written; the newest revision is now this. */
  wrote(rows: number, revision: Revision): void {
    if (this.#closed) return
    this.#rows += rows
    const last = this.#samples.at(-1)
    const many = this.#rows - (last?.rows ?? 0) >= this.#options.maxRows / 8
    if (last === undefined || many) this.#look(revision)
    this.#newest = revision
    this.#arm()
  }

  #newest: Revision = 0

  close(): void {
    this.#closed = true
    this.#timer?.cancel()
  }

  #arm(): void {
    if (this.#timer !== undefined) return
    const delay = Math.max(100, this.#options.maxAgeMs / 10)
    this.#timer = this.#clock.after(delay, () => {
      this.#timer = undefined
      this.#look(this.#newest)
      if (this.#samples.length > 1) this.#arm()
    })
  }

  #look(revision: Revision): void {
    const now = this.#clock.monotonic()
    const last = this.#samples.at(-1)
    if (last?.revision !== revision) this.#samples.push({ at: now, revision, rows: this.#rows })
    const old = (sample: Sample) =>
      sample.at <= now - this.#options.maxAgeMs || sample.rows < this.#rows - this.#options.maxRows
    // The last sample that is too old is where the kept past begins.
    let begin: Sample | undefined
    while (this.#samples[0] !== undefined && old(this.#samples[0])) begin = this.#samples.shift()
    if (begin === undefined) return
    if (this.#samples.length === 0) this.#samples.push(begin)
    this.#compact(begin.revision)
  }
}
