// Whether it is known how a loop stands: every object was looked at as it is declared now. While a
// pass is still to come, "nothing is wrong" only means that nobody has looked.

import type { LoopEngine } from "../reconcile/loop-engine.ts"
import type { Plane } from "./plane.ts"

/** The informers have what the source wrote, and no object waits for a pass or is in one. */
export function hasPassesAhead(plane: Plane, loop: LoopEngine): boolean {
  const { feed, queue } = plane.engine
  if (feed === undefined) return true
  for (const [key, revision] of plane.loops.sourceOf(loop.id)?.writtenAt ?? []) {
    if (feed.kindOf(key) === undefined) continue // Nobody answers for it.
    if ((feed.entry(key)?.revision ?? 0) < revision) return true
  }
  for (const key of feed.keys(loop.id)) if (queue.isAhead(key)) return true
  return false
}

/** Every object was found as declared, in the generation that it has now. */
export function isSettledAsDeclared(plane: Plane, loop: LoopEngine): boolean {
  const { feed, settled } = plane.engine
  for (const key of feed?.keys(loop.id) ?? []) {
    const [entry, found] = [feed?.entry(key), settled.get(key)]
    if (entry?.uid !== found?.uid || entry?.generation !== found?.generation) return false
  }
  return feed !== undefined
}
