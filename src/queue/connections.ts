// Rate limit and breaker of every connection, by name. The name "" stands for kinds that have no
// connection (files): nothing is limited there, since one bad target says nothing about the others.

import type { Clock } from "../base/clock.ts"
import { Breaker, type BreakerSnapshot } from "./breaker.ts"
import { ByConnection } from "./by-connection.ts"
import { RateLimiter } from "./rate-limiter.ts"

const perSecond = 50
const burst = 100
const waitMsMax = 30_000

export class Connections {
  readonly #breakers: ByConnection<Breaker>
  readonly #limits: ByConnection<RateLimiter>
  readonly #signal: AbortSignal

  constructor(clock: Clock, signal: AbortSignal) {
    this.#breakers = new ByConnection(() => new Breaker({ clock }))
    this.#limits = new ByConnection(() => new RateLimiter({ clock, perSecond, burst }))
    this.#signal = signal
  }

  /** Waits for the rate limit; false when the breaker lets no read through. */
  async enterRead(connection: string): Promise<boolean> {
    if (connection === "") return true
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

  /** Connections that are not in order, for status. */
  troubled(): { connection: string; breaker: BreakerSnapshot }[] {
    const all = [...this.#breakers.entries()]
    return all
      .map(([connection, breaker]) => ({ connection, breaker: breaker.snapshot() }))
      .filter(({ breaker }) => breaker.state !== "closed")
  }
}
