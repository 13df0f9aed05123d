// Counts successes and failures of the last while in a few slots, so that memory and time stay
// constant however many calls are made.

import type { Clock } from "../base/clock.ts"

const slotCount = 10

export class FailureWindow {
  readonly #clock: Clock
  readonly #slotMs: number
  readonly #successes = new Array<number>(slotCount).fill(0)
  readonly #failures = new Array<number>(slotCount).fill(0)
  #slot: number

  constructor(clock: Clock, windowMs: number) {
    this.#clock = clock
    this.#slotMs = windowMs / slotCount
    this.#slot = this.#currentSlot()
  }

  record(result: "success" | "failure"): void {
    this.#forgetOld()
    const counts = result === "success" ? this.#successes : this.#failures
    const index = this.#slot % slotCount
    counts[index] = (counts[index] ?? 0) + 1
  }

  counts(): { readonly successes: number; readonly failures: number } {
    this.#forgetOld()
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
    return { successes: sum(this.#successes), failures: sum(this.#failures) }
  }

  clear(): void {
    this.#successes.fill(0)
    this.#failures.fill(0)
  }

  #currentSlot(): number {
    return Math.floor(this.#clock.monotonic() / this.#slotMs)
  }

  #forgetOld(): void {
    const now = this.#currentSlot()
    const from = Math.max(this.#slot + 1, now - slotCount + 1)
    for (let slot = from; slot <= now; slot++) {
      this.#successes[slot % slotCount] = 0
      this.#failures[slot % slotCount] = 0
    }
    this.#slot = Math.max(this.#slot, now)
  }
}
