// What happened in one loop since the plane was opened, as plain numbers that only grow: charts are
// made of their differences.

import type { Verb } from "../contract/action.ts"
import type { VerdictKind } from "../contract/verdict.ts"
import type { JourneyPart } from "../reconcile/journey-book.ts"

export interface LoopTally {
  readonly planned: Record<Verb, number>
  readonly done: Record<Verb, number>
  readonly verdicts: Record<VerdictKind, number>
  readonly partsMs: Record<JourneyPart, number>
  failed: number
  noops: number
  drift: number
  /** Objects that became as declared, and how long that took in all. */
  journeys: number
  journeysMs: number
  /** The longest since it was last asked for. */
  journeyMsMax: number
}

export function newTally(): LoopTally {
  const verbs = () => ({ create: 0, update: 0, replace: 0, delete: 0, adopt: 0, loosen: 0 })
  return {
    planned: verbs(),
    done: verbs(),
    verdicts: { allow: 0, wait: 0, hold: 0, deny: 0 },
    partsMs: { queue: 0, observe: 0, round: 0, hold: 0, rate_limit: 0, provider: 0, wait: 0 },
    ...{ failed: 0, noops: 0, drift: 0 },
    ...{ journeys: 0, journeysMs: 0, journeyMsMax: 0 },
  }
}
