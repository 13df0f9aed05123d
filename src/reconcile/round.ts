// A round: the actions a loop judges together. It opens before the first read of a pass and closes
// after a short quiet time, at the latest after half a second, so that "30 of 100 vanished" is seen
// as one thing although each object is small. A proposal that comes too late joins the next round.

import type { Clock, Timer } from "../base/clock.ts"
import type { Proposal } from "./proposal.ts"

export interface Ticket {
  /** Reads for this pass must begin at or after this (monotonic). */
  readonly openedAt: number
  propose(proposal: Proposal): void
  leave(): void
}

export interface RoundOptions {
  readonly quietMs: number
  readonly openMsMax: number
}

export const defaultRound: RoundOptions = { quietMs: 50, openMsMax: 500 }

interface OpenRound {
  readonly openedAt: number
  readonly proposals: Map<string, Proposal>
  readonly limit: Timer
  tickets: number
  quiet: Timer | undefined
}

export class Round {
  readonly #clock: Clock
  readonly #options: RoundOptions
  readonly #close: (proposals: readonly Proposal[]) => void
  #open: OpenRound | undefined

  constructor(
    clock: Clock,
    options: RoundOptions,
    close: (proposals: readonly Proposal[]) => void,
  ) {
    this.#clock = clock
    this.#options = options
    this.#close = close
  }

  enter(): Ticket {
    const round = this.#current()
    round.tickets++
    round.quiet?.cancel()
    round.quiet = undefined
    let left = false
    return {
      openedAt: round.openedAt,
      propose: (proposal) => {
        const open = this.#open === round ? round : this.#current()
        open.proposals.set(proposal.action.uid, proposal)
        if (open !== round) this.#waitForQuiet(open)
      },
      leave: () => {
        if (left) return
        left = true
        round.tickets--
        if (this.#open === round) this.#waitForQuiet(round)
      },
    }
  }

  /** Ends an open round without judging it; at shutdown. */
  cancel(): void {
    this.#open?.quiet?.cancel()
    this.#open?.limit.cancel()
    this.#open = undefined
  }

  #current(): OpenRound {
    if (this.#open !== undefined) return this.#open
    const limit = this.#clock.after(this.#options.openMsMax, () => this.#finish(round))
    const openedAt = this.#clock.monotonic()
    const round: OpenRound = {
      openedAt,
      proposals: new Map(),
      limit,
      tickets: 0,
      quiet: undefined,
    }
    this.#open = round
    return round
  }

  #waitForQuiet(round: OpenRound): void {
    if (round.tickets > 0) return
    if (round.proposals.size === 0) {
      this.#finish(round)
      return
    }
    round.quiet?.cancel()
    round.quiet = this.#clock.after(this.#options.quietMs, () => this.#finish(round))
  }

  #finish(round: OpenRound): void {
    if (this.#open !== round) return
    round.quiet?.cancel()
    round.limit.cancel()
    this.#open = undefined
    if (round.proposals.size > 0) this.#close([...round.proposals.values()])
  }
}
