// How many deletes a loop may make in its window: min(count, max(1, percent of the smaller of now
// and the baseline)). Percent alone would let a large loop lose thousands; a count alone would let
// a small one lose everything.

import type { LoopLimits } from "../contract/loop.ts"

export interface InventoryFacts {
  readonly inventory: number
  readonly baseline: number
}

export function allowedDeletes(limits: LoopLimits, facts: InventoryFacts): number {
  const size = Math.min(facts.inventory, facts.baseline)
  const share = Math.floor((limits.deletesPercent * size) / 100)
  return Math.min(limits.deletes, Math.max(1, share))
}
