// Keeps long work from holding the event loop: whoever works through many items asks now and then
// whether a breath is due and awaits it. All who ask share one, so that a turn ends for all of
// them.

import { type Clock, sleep } from "./clock.ts"

/** A turn may last so long; timers, requests and hints wait no longer than that. */
const turnMs = 8

export class Breath {
  readonly #clock: Clock
  #last: number
  #pending: Promise<void> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#last = clock.monotonic()
  }

  /** Undefined while the turn is young, so that nothing is awaited for nothing. */
  due(afterMs: number = turnMs): Promise<void> | undefined {
    if (this.#pending !== undefined) return this.#pending
    if (this.#clock.monotonic() - this.#last < afterMs) return undefined
    this.#pending = sleep(this.#clock, 0).then(() => {
      this.#last = this.#clock.monotonic()
      this.#pending = undefined
    })
    return this.#pending
  }
}
