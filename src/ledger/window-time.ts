// Time for windows: it counts only what has provably passed. While a plane runs that is the
// monotonic clock; over a restart it is the time since the machine booted; after a boot it is
// nothing, since a wall clock that jumped meanwhile would empty every window. So it lags behind
// the wall clock, and never runs ahead of it.

import type { Clock } from "../base/clock.ts"
import { protects } from "../base/protections.ts"
import type { Store, Write } from "../contract/store.ts"
import { decodeDocument, ledgerKeys, putDocument } from "./keys.ts"
import { createLedgerTime, type LedgerTime } from "./ledger-time.ts"

interface Stamp {
  readonly format: 1
  readonly at: number
  readonly boot?: { readonly id: string; readonly ms: number }
}

const stampMs = 1000

export class WindowTime implements LedgerTime {
  readonly #clock: Clock
  #time: LedgerTime
  #stamped = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
    this.#time = createLedgerTime(clock)
  }

  async open(store: Store): Promise<void> {
    const entry = await store.get(ledgerKeys.clock)
    if (entry === undefined || "kind" in entry || !protects("windows-outlive-restarts")) return
    const { at, boot } = decodeDocument<Stamp>(entry.value)
    const now = this.#clock.sinceBoot?.()
    const proven = boot !== undefined && now?.id === boot.id ? Math.max(0, now.ms - boot.ms) : 0
    this.#time = createLedgerTime(this.#clock, at + proven)
  }

  now(): number {
    return this.#time.now()
  }

  /** Goes with a commit that is made anyway, at most once a second. */
  stamp(): readonly Write[] {
    const at = this.now()
    if (at - this.#stamped < stampMs) return []
    this.#stamped = at
    const boot = this.#clock.sinceBoot?.()
    const stamp: Stamp = { format: 1, at, ...(boot === undefined ? {} : { boot }) }
    return [putDocument(ledgerKeys.clock, stamp)]
  }
}
