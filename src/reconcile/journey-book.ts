// How long it takes from the first sign of a difference until the target is seen as declared, and
// where that time goes. Each journey is in exactly one phase at a time, so that the parts add up to
// the whole. It keeps something only for objects on their way, and decides nothing.

import type { Clock } from "../base/clock.ts"
import type { Outcome } from "../contract/outcome.ts"
import type { Verdict } from "../contract/verdict.ts"

/** "wait": for a reference, a stop, a backoff, an operation that goes on elsewhere. */
export type JourneyPart =
  | "queue"
  | "observe"
  | "round"
  | "hold"
  | "rate_limit"
  | "provider"
  | "wait"

export const journeyParts: readonly JourneyPart[] = [
  ...(["queue", "observe", "round", "hold", "rate_limit", "provider", "wait"] as const),
]

export interface Journey {
  readonly loop: string
  readonly totalMs: number
  readonly partsMs: Readonly<Record<JourneyPart, number>>
}

/** What a pass came to; a noop found everything as declared and nothing on its way. */
export type PassResult = "noop" | "converged" | "proposed" | "waiting" | "retrying" | "stuck"

interface Going {
  readonly key: string
  readonly loop: string
  readonly startedAt: number
  /** Something had to be done, or waits: its end is worth counting. */
  real: boolean
  phase: JourneyPart
  since: number
  readonly parts: Record<JourneyPart, number>
}

/** Follows single journeys, part by part (monotonic times), where somebody asked for that. */
export interface JourneyTrail {
  begun(key: string, loop: string): void
  phase(key: string, part: JourneyPart, fromMs: number, toMs: number): void
  ended(key: string, real: boolean, fromMs: number, toMs: number): void
}

export class JourneyBook {
  readonly #clock: Clock
  readonly #ended: (journey: Journey) => void
  readonly #trail: JourneyTrail | undefined
  readonly #going = new Map<string, Going>()

  constructor(clock: Clock, ended: (journey: Journey) => void, trail?: JourneyTrail) {
    this.#clock = clock
    this.#ended = ended
    this.#trail = trail
  }

  get size(): number {
    return this.#going.size
  }

  /** A declaration changed: from now on there may be a difference. */
  declared(key: string, loop: string): void {
    if (!this.#going.has(key)) this.#start(key, loop, 0)
  }

  /** A worker took it, after it waited in the queue. */
  taken(key: string, loop: string, waitedMs: number): void {
    const going = this.#going.get(key) ?? this.#start(key, loop, waitedMs)
    if (going.phase === "provider") return // Its pass finds it acting.
    const now = this.#clock.monotonic()
    // What it waited for before it was in the queue again is another part.
    const queued = Math.min(waitedMs, now - going.since)
    this.#add(going, going.phase, going.since, now - queued)
    this.#add(going, "queue", now - queued, now)
    going.phase = "observe"
    going.since = now
  }

  /** Its read waited for the rate limit of its connection. */
  limited(key: string, waitedMs: number): void {
    const going = this.#going.get(key)
    if (going?.phase !== "observe") return
    const waited = Math.min(waitedMs, this.#clock.monotonic() - going.since)
    this.#add(going, "rate_limit", going.since, going.since + waited)
    going.since += waited
  }

  /** Its pass is over. */
  passed(key: string, outcome: Outcome, inRound: boolean): PassResult {
    const going = this.#going.get(key)
    if (outcome.kind === "settled") {
      this.#end(key, going)
      return going?.real === true ? "converged" : "noop"
    }
    if (going !== undefined) {
      going.real = true
      if (going.phase === "observe") this.#enter(going, inRound ? "round" : "wait")
    }
    if (inRound) return "proposed"
    return outcome.kind === "wait" ? "waiting" : outcome.kind === "retry" ? "retrying" : "stuck"
  }

  judged(key: string, { kind, reasons }: Verdict): void {
    const going = this.#going.get(key)
    if (going === undefined || kind === "allow") return
    const limited = kind === "wait" && reasons.some(({ code }) => code === "ChangeLimit")
    this.#enter(going, limited ? "rate_limit" : "hold")
  }

  acting(key: string): void {
    const going = this.#going.get(key)
    if (going !== undefined) this.#enter(going, "provider")
  }

  /** Looked at again soon, or after a while where it failed. */
  acted(key: string, done: boolean): void {
    const going = this.#going.get(key)
    if (going !== undefined) this.#enter(going, done ? "queue" : "wait")
  }

  forget(key: string): void {
    const going = this.#going.get(key)
    this.#going.delete(key)
    if (going !== undefined) this.#trail?.ended(key, false, going.startedAt, going.since)
  }

  #start(key: string, loop: string, agoMs: number): Going {
    const since = this.#clock.monotonic() - agoMs
    const parts = { queue: 0, observe: 0, round: 0, hold: 0, rate_limit: 0, provider: 0, wait: 0 }
    const going: Going = { key, loop, startedAt: since, real: false, phase: "queue", since, parts }
    this.#going.set(key, going)
    this.#trail?.begun(key, loop)
    return going
  }

  #enter(going: Going, phase: JourneyPart): void {
    const now = this.#clock.monotonic()
    this.#add(going, going.phase, going.since, now)
    going.phase = phase
    going.since = now
  }

  #add(going: Going, part: JourneyPart, fromMs: number, toMs: number): void {
    going.parts[part] += toMs - fromMs
    if (toMs > fromMs) this.#trail?.phase(going.key, part, fromMs, toMs)
  }

  #end(key: string, going: Going | undefined): void {
    this.#going.delete(key)
    if (going === undefined) return
    if (!going.real) {
      this.#trail?.ended(key, false, going.startedAt, going.since)
      return
    }
    this.#enter(going, going.phase)
    const { loop, since, startedAt, parts } = going
    this.#trail?.ended(key, true, startedAt, since)
    this.#ended({ loop, totalMs: since - startedAt, partsMs: parts })
  }
}
