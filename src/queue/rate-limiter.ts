// A token bucket for one connection: so many calls per second on average, so many at once. Who has
// to wait gets a place in line; who would wait too long is told so at once instead.

import { type Clock, sleep } from "../base/clock.ts"
import { assert } from "../base/faults.ts"

export interface RateLimiterOptions {
  readonly clock: Clock
  readonly perSecond: number
  /** How many calls may go out at once after a quiet time. */
  readonly burst: number
}

export class RateLimiter {
  readonly #clock: Clock
  readonly #perMs: number
  readonly #burst: number
  /** Below zero: tokens promised to those who wait. */
  #tokens: number
  #asOf: number
  #pausedUntil = 0

  constructor(options: RateLimiterOptions) {
    assert(options.perSecond > 0 && options.burst >= 1, "a rate limit lets at least one call pass")
    this.#clock = options.clock
    this.#perMs = options.perSecond / 1000
    this.#burst = options.burst
    this.#tokens = options.burst
    this.#asOf = options.clock.monotonic()
  }

  /** Takes a token if one is there now. */
  tryTake(): boolean {
    if (this.waitMs() > 0) return false
    this.#tokens--
    return true
  }

  /** How long a call that asks now would wait. */
  waitMs(): number {
    this.#refill()
    const missing = (1 - this.#tokens) / this.#perMs
    return Math.max(0, this.#pausedMs(), Math.ceil(missing))
  }

  /**
   * Waits for a token, in the order of asking. False at once when that would take longer than
   * `maxWaitMs`, and false when the signal aborts (the token then goes back).
   */
  async acquire(signal: AbortSignal, maxWaitMs: number): Promise<boolean> {
    if (signal.aborted) return false
    const delayMs = this.waitMs()
    if (delayMs > maxWaitMs) return false
    this.#tokens--
    const deadline = this.#clock.monotonic() + maxWaitMs
    for (let waitMs = delayMs; waitMs > 0; waitMs = this.#pausedMs()) {
      const tooLong = this.#clock.monotonic() + waitMs > deadline
      if (!tooLong && (await sleep(this.#clock, waitMs, signal))) continue
      this.#tokens = Math.min(this.#burst, this.#tokens + 1)
      return false
    }
    return true
  }

  /** The other side asked for a pause (429, Retry-After): nobody goes before it has passed. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.monotonic() + ms)
  }

  #pausedMs(): number {
    return this.#pausedUntil - this.#clock.monotonic()
  }

  #refill(): void {
    const now = this.#clock.monotonic()
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#asOf) * this.#perMs)
    this.#asOf = now
  }
}
