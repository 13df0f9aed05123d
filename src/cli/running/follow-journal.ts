// Follows the journal of a plane in this process and hands it on in batches: what belongs to one
// round comes together. A reader that fell behind goes on from now and is told so.

import type { Clock, Timer } from "../../base/clock.ts"
import type { JournalEntry } from "../../contract/journal.ts"
import type { Store } from "../../contract/store.ts"
import { decodeDocument, ledgerKeys } from "../../ledger/keys.ts"

const quietMs = 200
const longestMs = 1000
const batchMax = 5000

export interface FollowOptions {
  readonly store: Store
  readonly clock: Clock
  readonly after: number
  readonly signal: AbortSignal
  batch(entries: readonly JournalEntry[]): void
  missed(): void
}

export async function followJournal(options: FollowOptions): Promise<void> {
  const { store, signal } = options
  const batch = new Batch(options)
  let after = options.after
  while (!signal.aborted) {
    const events = store.watch({ prefix: ledgerKeys.journals, after, signal })
    for await (const event of events) {
      if (event.kind === "compacted" || event.kind === "overrun") {
        options.missed()
        after = store.revision
        break
      }
      after = event.revision
      if (event.kind !== "changes") continue
      for (const change of event.changes) {
        if (change.kind === "put" && change.value !== undefined) {
          batch.add(decodeDocument<JournalEntry>(change.value))
        }
      }
    }
  }
  batch.flush()
}

class Batch {
  readonly #options: FollowOptions
  #entries: JournalEntry[] = []
  #since = 0
  #timer: Timer | undefined

  constructor(options: FollowOptions) {
    this.#options = options
  }

  add(entry: JournalEntry): void {
    const { clock } = this.#options
    if (this.#entries.length === 0) this.#since = clock.monotonic()
    this.#entries.push(entry)
    const spent = clock.monotonic() - this.#since
    this.#timer?.cancel()
    if (this.#entries.length >= batchMax || spent >= longestMs) this.flush()
    else this.#timer = clock.after(quietMs, () => this.flush())
  }

  flush(): void {
    this.#timer?.cancel()
    const entries = this.#entries
    this.#entries = []
    if (entries.length > 0) this.#options.batch(entries)
  }
}
