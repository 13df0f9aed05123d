// Judges a set of deletes before anything is marked. Over the limit nothing of the set is marked: a
// half-executed mistake is still a mistake.

import type { DeleteOrigin } from "../contract/delete-judge.ts"
import type { LoopSpec } from "../contract/loop.ts"
import type { PrincipalKind } from "../contract/principal.ts"
import { allow, type Reason, strictest, type Verdict } from "../contract/verdict.ts"
import { allowedDeletes } from "./delete-limit.ts"
import { verdict } from "./guard.ts"

export interface DeleteSetFacts {
  readonly loop: string
  readonly spec: LoopSpec
  readonly origin: DeleteOrigin
  readonly principal: PrincipalKind
  /** Kind of each owned target in the set; what is not ours is released, not deleted. */
  readonly kinds: readonly string[]
  readonly inventory: number
  inventoryOf(kind: string): number
  readonly baseline: number
  readonly deletesUsed: number
  readonly restored: boolean
}

const guard = "delete-limit"

export function judgeDeletes(facts: DeleteSetFacts): Verdict {
  if (facts.kinds.length === 0) return allow()
  return strictest([
    judgeMode(facts),
    judgeRestored(facts),
    judgeCount(facts),
    judgeEmptying(facts),
  ])
}

function judgeMode({ spec, loop }: DeleteSetFacts): Verdict {
  if (spec.mode !== "Propose") return allow()
  const message = `loop ${loop} is in mode Propose: every action needs an approval`
  return verdict("hold", { guard: "mode", code: "Propose", message })
}

function judgeRestored({ restored }: DeleteSetFacts): Verdict {
  if (!restored) return allow()
  const message = "the plane was restored from a backup and has not observed everything since"
  return verdict("hold", { guard: "restored", code: "Restored", message })
}

/** A delete by name that a person sends and that hits one target needs only the window's count. */
function isPlainDelete({ origin, principal, kinds }: DeleteSetFacts): boolean {
  return origin === "name" && principal === "human" && kinds.length === 1
}

function judgeCount(facts: DeleteSetFacts): Verdict {
  const { spec, kinds, deletesUsed, inventory } = facts
  const limit = isPlainDelete(facts) ? spec.limits.deletes : allowedDeletes(spec.limits, facts)
  const left = Math.max(0, limit - deletesUsed)
  if (kinds.length <= left) return allow()
  const minutes = Math.round(spec.limits.windowMs / 60_000)
  const message =
    `${kinds.length} of ${inventory} targets would be deleted; ` +
    `${left} may be now (limit ${limit} per ${minutes} min, ${deletesUsed} used)`
  const hint = "look at the plan; approve it, or restore what was removed"
  return verdict("hold", { guard, code: "DeleteLimit", message, hint })
}

function judgeEmptying(facts: DeleteSetFacts): Verdict {
  if (isPlainDelete(facts) || facts.spec.onEmpty === "Allow") return allow()
  if (facts.kinds.length >= facts.inventory) {
    const message = `the loop would lose all of its ${facts.inventory} targets`
    return verdict("hold", { guard: "empty", code: "EmptySet", message })
  }
  const reasons = [...new Set(facts.kinds)].flatMap((kind): Reason[] => {
    const doomed = facts.kinds.filter((other) => other === kind).length
    if (doomed < facts.inventoryOf(kind)) return []
    return [{ guard: "empty", code: "LastOfKind", message: `the last ${kind} would be deleted` }]
  })
  return reasons.length === 0 ? allow() : { kind: "hold", reasons }
}
