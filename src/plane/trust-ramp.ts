// The trust ramp: a loop that observes counts its clean rounds, so that a person can see whether it
// is ready to act. Clean is a look at everything in which the source was good, every target gave an
// answer and nothing was stuck. One that is not begins the count again.

import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { hasPassesAhead } from "./passes-ahead.ts"
import type { Plane } from "./plane.ts"

const troubled = new Set(["retrying", "stuck"])

/** True when the count changed. It stops at what is needed: a loop that is ready goes quiet. */
export function countCleanRound(plane: Plane, loop: LoopEngine): boolean {
  if (loop.spec.mode !== "Observe") return false
  if (hasPassesAhead(plane, loop)) return false // What the last look found is not known yet.
  const source = plane.loops.sourceState(loop.id)
  const isGood = source === undefined || source.kind === "good"
  const states = plane.engine.reporter.unconverged(loop.id)
  const isClean =
    isGood && loop.doubts.length === 0 && !states.some(({ state }) => troubled.has(state))
  const before = loop.cleanRounds
  loop.cleanRounds = isClean ? Math.min(loop.spec.cleanRounds, before + 1) : 0
  return loop.cleanRounds !== before
}
