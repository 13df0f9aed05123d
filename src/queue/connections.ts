// Rate limit and breaker of every connection, by name. The name "" stands for kinds that have no
// connection (files): nothing is limited there, since one bad target says nothing about the others.

import type { Clock } from "../base/clock.ts"
import { Breaker, type BreakerSnapshot, type BreakerState } from "./breaker.ts"
import { ByConnection } from "./by-connection.ts"
import { RateLimiter } from "./rate-limiter.ts"

const perSecond = 50
const burst = 100
const waitMsMax = 30_000
/** Longer than any backoff: whoever needs a connection asks for it more often. */
const inUseMs = 30 * 60_000

export class Connections {
  readonly #breakers: ByConnection<Breaker>
  readonly #limits: ByConnection<RateLimiter>
  readonly #signal: AbortSignal
  readonly #clock: Clock
  readonly #usedAt = new Map<string, number>()

  constructor(clock: Clock, signal: AbortSignal) {
    this.#breakers = new ByConnection(() => new Breaker({ clock }))
    this.#limits = new ByConnection(() => new RateLimiter({ clock, perSecond, burst }))
    this.#signal = signal
    this.#clock = clock
  }

  /** Waits for the rate limit; false when the breaker lets no read through. */
  async enterRead(connection: string): Promise<boolean> {
    if (connection === "") return true
    this.#usedAt.set(connection, this.#clock.monotonic())
    // First the token: a half-open breaker's permission is for one probe that really goes out.
    if (!(await this.#limits.get(connection).acquire(this.#signal, waitMsMax))) return false
    return this.#breakers.get(connection).mayRead()
  }

  mayAct(connection: string): boolean {
    return connection === "" || this.#breakers.get(connection).mayAct()
  }

  record(connection: string, success: boolean): void {
    if (connection === "") return
    this.#breakers.get(connection).record(success ? "success" : "failure")
  }

  /** Those in use: what nobody names any more would stay open for ever. */
  *states(): Generator<readonly [connection: string, state: BreakerState]> {
    const since = this.#clock.monotonic() - inUseMs
    for (const [connection, breaker] of this.#breakers.entries()) {
      if ((this.#usedAt.get(connection) ?? 0) >= since) yield [connection, breaker.state]
    }
  }

  /** Connections that are not in order, for status. */
  troubled(): { connection: string; breaker: BreakerSnapshot }[] {
    const all = [...this.#breakers.entries()]
    return all
      .map(([connection, breaker]) => ({ connection, breaker: breaker.snapshot() }))
      .filter(({ breaker }) => breaker.state !== "closed")
  }
}
