// The mutating calls that are under way. When a stop is written, the calls whose check came before
// it are in flight: they are listed, and their outcome is shown when it is known.

import type { StopSubject } from "../contract/stop.ts"

export interface CallInFlight {
  readonly id: number
  readonly loop: string
  readonly object: string
  readonly target: string
  readonly call: string
  /** Wall clock, right before the stop was looked for: whoever wrote one later was too late. */
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
  readonly #running = new Map<number, Running>()
  #reported: Running[] = []
  #ids = 0

  begin(
    call: Pick<CallInFlight, "loop" | "object" | "target" | "call" | "sinceMs">,
    subjects: readonly StopSubject[],
  ): number {
    const id = ++this.#ids
    const entry = { ...call, id }
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
    for (const id of this.#running.keys()) this.keep(id)
  }

  /** Nothing is stopped any more: what has ended is history. */
  noteResume(): void {
    this.#reported = this.#reported.filter((running) => running.outcome === "running")
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

  /** The calls that were in flight when what is stopped was stopped, with their outcome so far. */
  atStop(): CallInFlight[] {
    return this.#reported.map(({ call, outcome }) => ({ ...call, outcome }))
  }
}
