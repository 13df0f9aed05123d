// How long and how often to try again: longer pauses each time, with a part of chance, so that
// clients that lost the same server do not come back together.

import { setTimeout as pause } from "node:timers/promises"

const firstMs = 100
const pauseMaxMs = 5000

export class Patience {
  readonly #totalMs: number
  #began: number | undefined
  #tries = 0

  constructor(totalMs: number) {
    this.#totalMs = totalMs
  }

  /** It went well: the next trouble gets all of the patience. */
  reset(): void {
    this.#began = undefined
    this.#tries = 0
  }

  /** Waits; false when the patience is over or the signal aborted. */
  async again(signal?: AbortSignal, atLeastMs = 0): Promise<boolean> {
    const now = performance.now()
    this.#began ??= now
    const most = Math.min(pauseMaxMs, firstMs * 2 ** Math.min(this.#tries++, 10))
    const ms = Math.max(atLeastMs, most * (0.5 + Math.random() / 2))
    if (now + ms - this.#began > this.#totalMs) return false
    try {
      await pause(ms, undefined, signal === undefined ? {} : { signal })
      return true
    } catch {
      return false
    }
  }
}
