// The mutating calls that are under way. When a stop is written, the calls whose check came before
// it are in flight: they are listed, and their outcome is shown when it is known.

import type { Clock } from "../base/clock.ts"
import type { StopSubject } from "../contract/stop.ts"

export interface CallInFlight {
  readonly id: number
  readonly loop: string
  readonly object: string
  readonly target: string
  readonly call: string
  readonly sinceMs: number
  readonly outcome: "running" | "done" | "failed"
}

interface Running {
  readonly call: Omit<CallInFlight, "outcome">
  readonly subjects: readonly StopSubject[]
  outcome: CallInFlight["outcome"]
}

const reportedMax = 1000

export class InFlight {
  readonly #clock: Clock
  readonly #running = new Map<number, Running>()
  #reported: Running[] = []
  #ids = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  begin(
    call: Pick<CallInFlight, "loop" | "object" | "target" | "call">,
    subjects: readonly StopSubject[],
  ): number {
    const id = ++this.#ids
    const entry = { ...call, id, sinceMs: this.#clock.now() }
    this.#running.set(id, { call: entry, subjects, outcome: "running" })
    return id
  }

  end(id: number, outcome: "done" | "failed"): void {
    const running = this.#running.get(id)
    if (running === undefined) return
    running.outcome = outcome
    this.#running.delete(id)
  }

  get count(): number {
    return this.#running.size
  }

  /** Remembers what is under way at this moment, so that outcomes can be asked for later. */
  noteStop(): void {
    const known = this.#reported.filter((running) => running.outcome === "running")
    const more = [...this.#running.values()].filter((running) => !known.includes(running))
    this.#reported = [...known, ...more].slice(0, reportedMax)
  }

  /** This call is under way although a stop stands: it began before. */
  keep(id: number): void {
    const running = this.#running.get(id)
    if (running === undefined || this.#reported.includes(running)) return
    this.#reported = [...this.#reported, running].slice(-reportedMax)
  }

  /** The same for every call that would be refused now. */
  keepStopped(isStopped: (subject: StopSubject) => boolean): void {
    for (const [id, { subjects }] of this.#running) if (subjects.some(isStopped)) this.keep(id)
  }

  /** The calls that were in flight at the last stop, with their outcome so far. */
  atStop(): CallInFlight[] {
    return this.#reported.map(({ call, outcome }) => ({ ...call, outcome }))
  }
}
