// Virtual time. It passes only in `advance` and `runUntil`; timers fire in order of their times,
// and between two of them everything that can run does run. Wall time can jump; monotonic never
// does.

import type { Clock, Timer } from "../base/clock.ts"
import { type Delayed, DelayHeap } from "../queue/delay-heap.ts"
import { drainMicrotasks } from "./adapter/drain-microtasks.ts"
import { simFault } from "./faults.ts"
import type { Scheduler } from "./scheduler.ts"

export interface SimClockOptions {
  /** Wall time at the start; 2026-01-01T00:00:00Z when missing. */
  readonly wallMs?: number
  /** Parked tasks are run, one by one, before time passes. */
  readonly scheduler?: Scheduler
  /** Steps without time passing before the run counts as stuck. */
  readonly stepsMax?: number
}

interface Alarm extends Delayed {
  readonly wake: () => void
}

export class SimClock implements Clock {
  readonly #alarms = new DelayHeap<Alarm>()
  readonly #scheduler: Scheduler | undefined
  readonly #stepsMax: number
  #monotonic = 0
  #wallOffset: number
  #order = 0
  #boots = 1
  #steps = 0
  #advancing = false

  constructor(options: SimClockOptions = {}) {
    this.#wallOffset = options.wallMs ?? 1_767_225_600_000
    this.#scheduler = options.scheduler
    this.#stepsMax = options.stepsMax ?? 1_000_000
  }

  now(): number {
    return this.#wallOffset + this.#monotonic
  }

  monotonic(): number {
    return this.#monotonic
  }

  after(delayMs: number, wake: () => void): Timer {
    const dueAt = this.#monotonic + Math.max(0, delayMs)
    const alarm: Alarm = { dueAt, order: this.#order++, place: -1, wake }
    this.#alarms.push(alarm)
    return {
      cancel: () => {
        if (alarm.place >= 0) this.#alarms.remove(alarm)
      },
    }
  }

  /** Moves wall time only, forwards or backwards. */
  jumpWall(ms: number): void {
    this.#wallOffset += ms
  }

  sinceBoot(): { readonly id: string; readonly ms: number } {
    return { id: `boot-${this.#boots}`, ms: this.#monotonic }
  }

  /** The machine starts anew: nobody can say how long it was away. */
  reboot(): void {
    this.#boots++
  }

  /** Timers that are set. */
  get pending(): number {
    return this.#alarms.length
  }

  /** Lets everything run that can run without time passing. */
  async settle(): Promise<void> {
    await drainMicrotasks()
    while (this.#scheduler?.step() === true) {
      this.#countStep()
      await drainMicrotasks()
    }
  }

  /** Lets so much time pass. */
  async advance(ms: number): Promise<void> {
    await this.#run(this.#monotonic + ms, () => false)
  }

  /**
   * Lets time pass until the predicate holds; it is asked whenever nothing more can run at an
   * instant. False when it did not hold within `maxMs`.
   */
  async runUntil(predicate: () => boolean, options: { maxMs: number }): Promise<boolean> {
    return this.#run(this.#monotonic + options.maxMs, predicate)
  }

  async #run(until: number, predicate: () => boolean): Promise<boolean> {
    if (this.#advancing) {
      throw simFault("SPT-SIM-001", { what: "somebody else is advancing it already" })
    }
    this.#advancing = true
    this.#steps = 0
    try {
      for (;;) {
        await this.settle()
        if (predicate()) return true
        const next = this.#alarms.first
        if (next === undefined || next.dueAt > until) break
        this.#fire(next)
      }
      this.#monotonic = Math.max(this.#monotonic, until)
      return false
    } finally {
      this.#advancing = false
    }
  }

  #fire(alarm: Alarm): void {
    if (alarm.dueAt > this.#monotonic) this.#steps = 0
    this.#countStep()
    this.#alarms.remove(alarm)
    this.#monotonic = Math.max(this.#monotonic, alarm.dueAt)
    alarm.wake()
  }

  #countStep(): void {
    if (++this.#steps <= this.#stepsMax) return
    const what = `${this.#stepsMax} steps at ${this.#monotonic} ms and no end`
    throw simFault("SPT-SIM-001", { what })
  }
}
