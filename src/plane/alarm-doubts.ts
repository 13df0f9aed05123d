// Which alarms nobody can call over yet. A plane that just started knows in memory neither what it
// has not looked at, nor a source that it still reads; an invariant that can't be evaluated may be
// as broken as before. What was told of these stands until somebody knows better: silence is no
// good news.

import type { Told } from "../controllers/notification.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { hasPassesAhead } from "./passes-ahead.ts"
import type { Plane } from "./plane.ts"

export function isInDoubt(plane: Plane, { type, loop, key }: Told): boolean {
  const engine = loop === undefined ? undefined : plane.loops.get(loop)
  if (engine === undefined) return false
  if (type === "Stalled") return !wasLookedAt(plane, engine)
  if (type === "SourceFailing") return plane.loops.sourceState(engine.id)?.kind === "reading"
  return type === "InvariantBroken" && isUnknown(plane, key)
}

/** Every object was found to be in some state since the start. */
function wasLookedAt(plane: Plane, loop: LoopEngine): boolean {
  const { feed, settled, reporter } = plane.engine
  const keys = feed?.keys(loop.id) ?? []
  const isKnown = (key: string) =>
    settled.get(key) !== undefined || reporter.stateOf(key) !== undefined
  if (feed !== undefined && [...keys].every(isKnown)) return true
  return loop.lookedAt !== undefined && !hasPassesAhead(plane, loop)
}

function isUnknown({ invariants }: Plane, key: string): boolean {
  return invariants.keeper
    .standing()
    .some(({ invariant, state }) => invariantKey(invariant) === key && state === "Unknown")
}

/** What an alarm about it is known by. */
export const invariantKey = ({ namespace, name }: Record<"namespace" | "name", string>): string =>
  `invariant/${namespace}/${name}`
