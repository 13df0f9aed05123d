// Which of a loop's own targets were found gone lately. One that is made again still counts for a
// while: otherwise healing the first few would hide that everything was gone. What is held because
// it is gone counts as long as it is held, over a restart too: waiting alone heals nothing.

import type { Vanished } from "../guard/guard.ts"
import { vanishedMin } from "../guard/vanish-guard.ts"

interface Gone {
  readonly kind: string
  readonly at: number
}

export interface HeldGone {
  readonly uid: string
  readonly kind: string
}

const rememberedMs = 10 * 60_000
/** So long the others are looked at before the first few count as a few. */
export const settlingMs = 1500

export class VanishWatch {
  readonly #gone = new Map<string, Gone>()
  /** When the count of a kind first reached what needs a second look. */
  readonly #since = new Map<string, number>()

  note(uid: string, kind: string, now: number): void {
    const known = this.#gone.get(uid)
    this.#gone.set(uid, { kind, at: now })
    if (known !== undefined && now - known.at < rememberedMs) return
    if (this.#count(kind, now) === vanishedMin) this.#since.set(kind, now)
  }

  /** It is there, and we did not make it again since: the look before is no evidence any more. */
  seen(uid: string, actedAt = 0): void {
    const gone = this.#gone.get(uid)
    if (gone !== undefined && gone.at > actedAt) this.#gone.delete(uid)
  }

  /** `held`: what waits for a person because it is gone. */
  facts(
    now: number,
    inventoryOf: (kind: string) => number,
    held: readonly HeldGone[],
  ): ReadonlyMap<string, Vanished> {
    this.#forget(now)
    const facts = new Map<string, Vanished>()
    const waiting = held.filter(({ uid }) => !this.#gone.has(uid))
    const kinds = [...this.#gone.values(), ...waiting].map((one) => one.kind)
    for (const kind of new Set(kinds)) {
      const gone = this.#count(kind, now) + waiting.filter((one) => one.kind === kind).length
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
