// Which of a loop's own targets were found gone lately. One that is made again still counts for a
// while: otherwise healing the first few would hide that everything was gone.

import type { Vanished } from "../guard/guard.ts"
import { vanishedMin } from "../guard/vanish-guard.ts"

interface Gone {
  readonly kind: string
  readonly at: number
}

const rememberedMs = 10 * 60_000
/** So long the others are looked at before the first few count as a few. */
export const settlingMs = 1500

export class VanishWatch {
  readonly #gone = new Map<string, Gone>()
  /** When the count of a kind first reached what needs a second look. */
  readonly #since = new Map<string, number>()

  note(uid: string, kind: string, now: number): void {
    if (this.#gone.has(uid)) return
    this.#gone.set(uid, { kind, at: now })
    if (this.#count(kind, now) === vanishedMin) this.#since.set(kind, now)
  }

  /** It is there, and we did not make it again since: the look before is no evidence any more. */
  seen(uid: string, actedAt = 0): void {
    const gone = this.#gone.get(uid)
    if (gone !== undefined && gone.at > actedAt) this.#gone.delete(uid)
  }

  facts(now: number, inventoryOf: (kind: string) => number): ReadonlyMap<string, Vanished> {
    this.#forget(now)
    const facts = new Map<string, Vanished>()
    for (const kind of new Set([...this.#gone.values()].map((one) => one.kind))) {
      const gone = this.#count(kind, now)
      const since = this.#since.get(kind)
      const settling = gone >= vanishedMin && since !== undefined && now - since < settlingMs
      facts.set(kind, { gone, of: inventoryOf(kind), settling })
    }
    return facts
  }

  #count(kind: string, now: number): number {
    let count = 0
    for (const one of this.#gone.values()) {
      if (one.kind === kind && now - one.at < rememberedMs) count++
    }
    return count
  }

  #forget(now: number): void {
    for (const [uid, { at }] of this.#gone) if (now - at >= rememberedMs) this.#gone.delete(uid)
  }
}
