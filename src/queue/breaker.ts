// A circuit breaker for one connection. Closed: calls pass. Open: none does. Half-open: one reading
// probe at a time finds out whether the other side is back; nothing acts before a probe succeeded.
// Results of calls that began before it opened never close it.

import type { Clock } from "../base/clock.ts"
import { protects } from "../base/protections.ts"
import { FailureWindow } from "./failure-window.ts"

export type BreakerState = "closed" | "open" | "half-open"

export interface BreakerLimits {
  /** Opens after so many failures in a row ... */
  readonly failuresInRow: number
  /** ... or when at least this part of the window's calls failed ... */
  readonly failureRatio: number
  /** ... and there were at least so many. */
  readonly callsMin: number
  readonly windowMs: number
  /** How long it stays open the first time; doubled by each failed probe, up to the longest. */
  readonly openMs: number
  readonly openMaxMs: number
  /** Probes that must succeed in a row before it closes. */
  readonly probes: number
  /** A probe whose result never came is given up after this. */
  readonly probeMs: number
}

export const defaultBreakerLimits: BreakerLimits = {
  failuresInRow: 5,
  failureRatio: 0.5,
  callsMin: 20,
  windowMs: 60_000,
  openMs: 5_000,
  openMaxMs: 300_000,
  probes: 1,
  probeMs: 60_000,
}

export interface BreakerSnapshot {
  readonly state: BreakerState
  readonly failuresInRow: number
  /** In the window. */
  readonly failures: number
  readonly successes: number
  /** Until a probe may go out; 0 when one may go now or the breaker is closed. */
  readonly retryInMs: number
}

export interface BreakerOptions {
  readonly clock: Clock
  readonly limits?: Partial<BreakerLimits>
  readonly onChange?: (state: BreakerState, before: BreakerState) => void
}

export class Breaker {
  readonly #clock: Clock
  readonly #limits: BreakerLimits
  readonly #onChange: BreakerOptions["onChange"]
  readonly #window: FailureWindow
  #state: BreakerState = "closed"
  #failuresInRow = 0
  #openMs: number
  #probeAt = 0
  #probingUntil: number | undefined
  #probesPassed = 0

  constructor(options: BreakerOptions) {
    this.#clock = options.clock
    this.#limits = { ...defaultBreakerLimits, ...options.limits }
    this.#onChange = options.onChange
    this.#window = new FailureWindow(options.clock, this.#limits.windowMs)
    this.#openMs = this.#limits.openMs
  }

  get state(): BreakerState {
    return this.#state
  }

  /** Half-open, `true` is the permission for the one probe: record its result. */
  mayRead(): boolean {
    if (this.#state === "closed") return true
    const now = this.#clock.monotonic()
    if (this.#state === "open") {
      if (now < this.#probeAt) return false
      this.#probesPassed = 0
      this.#change("half-open")
    } else if (this.#probingUntil !== undefined && now < this.#probingUntil) {
      return false
    }
    this.#probingUntil = now + this.#limits.probeMs
    return true
  }

  mayAct(): boolean {
    return this.#state === "closed"
  }

  record(result: "success" | "failure"): void {
    if (this.#state === "closed") this.#recordClosed(result)
    else if (this.#state === "half-open" && this.#probingUntil !== undefined) {
      this.#recordProbe(result)
    }
  }

  snapshot(): BreakerSnapshot {
    return {
      state: this.#state,
      failuresInRow: this.#failuresInRow,
      ...this.#window.counts(),
      retryInMs: this.#retryInMs(),
    }
  }

  #retryInMs(): number {
    if (this.#state === "closed") return 0
    const until = this.#state === "open" ? this.#probeAt : (this.#probingUntil ?? 0)
    return Math.max(0, until - this.#clock.monotonic())
  }

  #recordClosed(result: "success" | "failure"): void {
    this.#window.record(result)
    if (result === "success") {
      this.#failuresInRow = 0
      return
    }
    this.#failuresInRow++
    const { failures, successes } = this.#window.counts()
    const calls = failures + successes
    const { failuresInRow, failureRatio, callsMin } = this.#limits
    const tooMany = calls >= callsMin && failures / calls >= failureRatio
    const opens = tooMany || this.#failuresInRow >= failuresInRow
    if (opens && protects("breaker-opens")) this.#open(this.#limits.openMs)
  }

  #recordProbe(result: "success" | "failure"): void {
    this.#probingUntil = undefined
    if (result === "failure") {
      this.#failuresInRow++
      this.#open(Math.min(this.#openMs * 2, this.#limits.openMaxMs))
      return
    }
    this.#probesPassed++
    if (this.#probesPassed < this.#limits.probes) return
    this.#failuresInRow = 0
    this.#window.clear()
    this.#change("closed")
  }

  #open(openMs: number): void {
    this.#openMs = openMs
    this.#probeAt = this.#clock.monotonic() + openMs
    this.#probingUntil = undefined
    this.#change("open")
  }

  #change(state: BreakerState): void {
    const before = this.#state
    this.#state = state
    this.#onChange?.(state, before)
  }
}
