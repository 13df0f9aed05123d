// What may be destroyed under a limit of a policy, and what is used of it.

import type { LimitFloor } from "../contract/loop.ts"
import { allowedDeletes } from "../guard/delete-limit.ts"
import type { Budgets } from "../ledger/budgets.ts"

export interface FloorUse {
  readonly allowed: number
  readonly deletesUsed: number
}

export function floorUse(
  { limits, everywhere }: LimitFloor,
  loop: string,
  inventory: number,
  budgets: Budgets,
): FloorUse {
  const { windowMs } = limits
  if (everywhere) {
    // A share of one loop says nothing about all of them: the count alone.
    return { allowed: limits.deletes, deletesUsed: budgets.deletesEverywhere(windowMs) }
  }
  const baseline = budgets.baseline(loop, inventory)
  const deletesUsed = budgets.deletesInWindow(loop, windowMs)
  return { allowed: allowedDeletes(limits, { inventory, baseline }), deletesUsed }
}
