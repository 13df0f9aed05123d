// How many requests are worked on at once, shared fairly: when all slots are taken, callers wait
// for a while in turns, one request each, so that one busy caller does not keep the others out.
// Whoever waits too long, or has too many waiting, is told to come back (429).

import type { Clock, Timer } from "../../base/clock.ts"
import { apiFault } from "../faults.ts"

export interface SlotLimits {
  readonly atOnce: number
  /** Of one caller. */
  readonly perCaller: number
  readonly waitingPerCaller: number
  readonly waiting: number
  readonly waitMs: number
}

export type Leave = () => void

interface Waiter {
  readonly timer: Timer
  enter(leave: Leave): void
}

interface Caller {
  running: number
  readonly waiting: Set<Waiter>
}

export class RequestSlots {
  readonly #clock: Clock
  readonly #limits: SlotLimits
  /** In the order of their turns; only callers that run or wait. */
  readonly #callers = new Map<string, Caller>()
  #running = 0
  #waiting = 0

  constructor(clock: Clock, limits: SlotLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting
  }

  /** The function to call, once, when the request is done. */
  enter(name: string): Leave | Promise<Leave> {
    const caller = this.#caller(name)
    if (this.#waiting === 0 && this.#mayRun(caller)) return this.#run(name, caller)
    const { waitingPerCaller, waiting, waitMs } = this.#limits
    if (caller.waiting.size >= waitingPerCaller || this.#waiting >= waiting) {
      this.#forget(name, caller)
      throw busy("too many requests are waiting")
    }
    return new Promise((enter, refuse) => {
      const timer = this.#clock.after(waitMs, () => {
        caller.waiting.delete(waiter)
        this.#waiting--
        this.#forget(name, caller)
        refuse(busy("all slots stayed taken"))
      })
      const waiter: Waiter = { timer, enter }
      caller.waiting.add(waiter)
      this.#waiting++
      // A slot may be free while those who wait may not take it.
      this.#next()
    })
  }

  #caller(name: string): Caller {
    const known = this.#callers.get(name)
    if (known !== undefined) return known
    const caller: Caller = { running: 0, waiting: new Set() }
    this.#callers.set(name, caller)
    return caller
  }

  #mayRun({ running }: Caller): boolean {
    return this.#running < this.#limits.atOnce && running < this.#limits.perCaller
  }

  #run(name: string, caller: Caller): Leave {
    this.#running++
    caller.running++
    let left = false
    return () => {
      if (left) return
      left = true
      this.#running--
      caller.running--
      this.#forget(name, caller)
      if (this.#waiting > 0) this.#next()
    }
  }

  #forget(name: string, { running, waiting }: Caller): void {
    if (running === 0 && waiting.size === 0) this.#callers.delete(name)
  }

  /** Gives free slots to those who wait, one caller after another. */
  #next(): void {
    let found = true
    while (found && this.#waiting > 0 && this.#running < this.#limits.atOnce) {
      found = false
      for (const [name, caller] of this.#callers) {
        const [waiter] = caller.waiting
        if (waiter === undefined || !this.#mayRun(caller)) continue
        waiter.timer.cancel()
        caller.waiting.delete(waiter)
        this.#waiting--
        // To the end of the turns.
        this.#callers.delete(name)
        this.#callers.set(name, caller)
        waiter.enter(this.#run(name, caller))
        found = true
        break
      }
    }
  }
}

const busy = (why: string): Error => apiFault("SPT-API-023", { why })
