// Break-glass: for one loop, for a time, with a reason, by a person, up to a number of
// destructions. Durable, so that a restart neither ends nor prolongs it. What it lifts is the
// guards' business; here is only whether it stands, and what is left of it.

import { protects } from "../base/protections.ts"
import type { Store, Write } from "../contract/store.ts"
import { decodeDocument, ledgerKeys, putDocument } from "./keys.ts"
import type { LedgerTime } from "./ledger-time.ts"
import { scanPrefix } from "./scan.ts"

export interface BreakGlass {
  readonly format: 1
  readonly loop: string
  readonly by: string
  readonly reason: string
  /** Ledger time, both. */
  readonly from: number
  readonly until: number
  /** How many things may be destroyed under it, and how many still may. */
  readonly deletes: number
  readonly deletesLeft: number
}

export class BreakGlassLedger {
  readonly #time: LedgerTime
  readonly #open = new Map<string, BreakGlass>()

  constructor(time: LedgerTime) {
    this.#time = time
  }

  async open(store: Store): Promise<void> {
    for await (const entry of scanPrefix(store, ledgerKeys.breakGlasses)) {
      const glass = decodeDocument<BreakGlass>(entry.value)
      this.#open.set(glass.loop, glass)
    }
  }

  /** What stands now; a clock that went back before its beginning ends it as well. */
  live(loop: string): BreakGlass | undefined {
    const glass = this.#open.get(loop)
    return glass === undefined || this.isOver(glass) ? undefined : glass
  }

  isOver({ from, until }: BreakGlass): boolean {
    const now = this.#time.now()
    return (now < from || now >= until) && protects("break-glass-expires")
  }

  /** Those too whose time is over and of whose end nobody was told yet. */
  all(): BreakGlass[] {
    return [...this.#open.values()]
  }

  put(glass: BreakGlass): Write {
    this.#open.set(glass.loop, glass)
    return putDocument(ledgerKeys.breakGlass(glass.loop), glass)
  }

  drop(loop: string): Write {
    this.#open.delete(loop)
    return { kind: "delete", key: ledgerKeys.breakGlass(loop) }
  }

  /** Counts at once; the write goes into the commit of the intent or of the mark. */
  debit(loop: string, count: number): Write[] {
    const glass = this.#open.get(loop)
    if (glass === undefined || count === 0) return []
    return [this.put({ ...glass, deletesLeft: Math.max(0, glass.deletesLeft - count) })]
  }

  /** It provably did not happen. */
  refund(loop: string, count: number): Write[] {
    const glass = this.#open.get(loop)
    if (glass === undefined || count === 0) return []
    return [this.put({ ...glass, deletesLeft: Math.min(glass.deletes, glass.deletesLeft + count) })]
  }
}
