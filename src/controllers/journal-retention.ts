// Forgets journal entries that are older than is kept: whole closed segments, in small commits, on
// a timer. Anchors stay for ever, so that what is left still verifies. It never touches an open
// segment.

import type { Clock, Timer } from "../base/clock.ts"
import type { JournalAnchor, JournalEvent } from "../contract/journal.ts"
import { readAnchors } from "../ledger/journal.ts"
import type { Ledger } from "../ledger/ledger.ts"

export interface JournalRetentionPorts {
  readonly clock: Clock
  readonly ledger: Ledger
  failed(error: unknown): void
}

export interface JournalRetentionOptions {
  readonly keepMs: number
  /** Entries deleted by one commit. */
  readonly batch?: number
  readonly everyMs?: number
}

export const journalKeepMs = 400 * 86_400_000
const defaultBatch = 500
const defaultEveryMs = 3_600_000
/** What one run deletes of one journal at most; the next one goes on. */
const batchesPerRun = 40

export class JournalRetention {
  readonly #ports: JournalRetentionPorts
  readonly #options: Required<JournalRetentionOptions>
  #timer: Timer | undefined
  #closed = false
  #running: Promise<void> = Promise.resolve()

  constructor(ports: JournalRetentionPorts, options: JournalRetentionOptions) {
    this.#ports = ports
    this.#options = { batch: defaultBatch, everyMs: defaultEveryMs, ...options }
  }

  start(): void {
    this.#timer = this.#ports.clock.after(this.#options.everyMs, () => {
      this.#running = this.run()
        .catch(this.#ports.failed)
        .finally(() => {
          if (!this.#closed) this.start()
        })
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#timer?.cancel()
    await this.#running
  }

  /** One run over all journals. */
  async run(): Promise<void> {
    for (const loop of this.#ports.ledger.journalLoops()) await this.#dropOld(loop)
  }

  async #dropOld(loop: string): Promise<void> {
    const { clock, ledger } = this.#ports
    const before = clock.now() - this.#options.keepMs
    let left = batchesPerRun
    for await (const anchor of readAnchors(ledger.store, loop, this.#keptFrom(loop) - 1)) {
      if (!(Date.parse(anchor.time) < before)) return
      while (this.#keptFrom(loop) <= anchor.to) {
        if (left-- <= 0 || this.#closed) return
        await this.#dropSome(loop, anchor)
      }
    }
  }

  async #dropSome(loop: string, anchor: JournalAnchor): Promise<void> {
    const from = this.#keptFrom(loop)
    const keptFrom = Math.min(anchor.to + 1, from + this.#options.batch)
    const event: JournalEvent = { type: "dropped", from, to: anchor.to, anchor: anchor.hash }
    // Told once per segment, with its first batch.
    await this.#ports.ledger.dropEntries(loop, keptFrom, from === anchor.from ? [event] : [])
  }

  #keptFrom(loop: string): number {
    return this.#ports.ledger.journalHead(loop).keptFrom ?? 1
  }
}
