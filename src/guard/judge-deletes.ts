// Judges a set of deletes before anything is marked. Over the limit nothing of the set is marked: a
// half-executed mistake is still a mistake.

import { protects } from "../base/protections.ts"
import type { DeleteOrigin } from "../contract/delete-judge.ts"
import type { LoopSpec } from "../contract/loop.ts"
import type { PrincipalKind } from "../contract/principal.ts"
import { allow, type Reason, strictest, type Verdict } from "../contract/verdict.ts"
import { type BreakGlassFacts, liftedBy } from "./break-glass.ts"
import { allowedDeletes } from "./delete-limit.ts"
import { verdict } from "./guard.ts"

export interface DeleteSetFacts {
  readonly loop: string
  readonly spec: LoopSpec
  readonly origin: DeleteOrigin
  readonly principal: PrincipalKind
  /** Kind of each owned target in the set; what is not ours is released, not deleted. */
  readonly kinds: readonly string[]
  /** Owned targets of the set that others have taken the place of: they count as changes. */
  readonly replaced?: number
  readonly inventory: number
  inventoryOf(kind: string): number
  readonly baseline: number
  readonly deletesUsed: number
  readonly restored: boolean
  /** A person's word that lifts limits for a time. */
  readonly breakGlass?: BreakGlassFacts
  /** Limits of policies, besides the loop's own. */
  readonly floors: readonly DeleteFloor[]
  /** Owned objects of the set that are protected, and by what. */
  readonly protectedObjects: readonly { readonly object: string; readonly by: string }[]
  /** What the revision that asks for this lost against the one before it. */
  readonly shrunk?: { readonly from: number; readonly to: number }
  /** The composite that asks. */
  readonly parent?: string
}

export interface DeleteFloor {
  /** Name of the policy. */
  readonly by: string
  /** The count alone, and with the share of the inventory. */
  readonly deletes: number
  readonly allowed: number
  readonly used: number
}

const guard = "delete-limit"

export function judgeDeletes(facts: DeleteSetFacts): Verdict {
  if (facts.kinds.length === 0) return judgeReplaced(facts)
  const verdict = strictest([
    judgeMode(facts),
    judgeRestored(facts),
    judgeCount(facts),
    judgeEmptying(facts),
    judgeFloors(facts),
    judgeProtected(facts),
    judgeShrunk(facts),
  ])
  return liftedBy(facts.breakGlass, verdict, facts.kinds.length)
}

/** Nothing is missing afterwards; what needs a person whatever it is needs one all the same. */
function judgeReplaced(facts: DeleteSetFacts): Verdict {
  const { replaced = 0 } = facts
  if (replaced === 0) return allow()
  const verdict = strictest([judgeMode(facts), judgeRestored(facts), judgeProtected(facts)])
  return liftedBy(facts.breakGlass, verdict, replaced)
}

function judgeMode({ spec, loop }: DeleteSetFacts): Verdict {
  if (spec.mode !== "Propose") return allow()
  const message = `loop ${loop} is in mode Propose: every action needs an approval`
  return verdict("hold", { guard: "mode", code: "Propose", message })
}

function judgeRestored({ restored }: DeleteSetFacts): Verdict {
  if (!restored || !protects("restored-holds")) return allow()
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
  if (kinds.length <= left || !protects("delete-limit")) return allow()
  if (inventory < 10 && !protects("limit-has-no-minimum")) return allow()
  const minutes = Math.round(spec.limits.windowMs / 60_000)
  const message =
    `${kinds.length} of ${inventory} targets would be deleted; ` +
    `${left} may be now (limit ${limit} per ${minutes} min, ${deletesUsed} used)`
  const hint = "look at the plan; approve it, or restore what was removed"
  return verdict("hold", { guard, code: "DeleteLimit", message, hint })
}

function judgeEmptying(facts: DeleteSetFacts): Verdict {
  if (isPlainDelete(facts) || facts.spec.onEmpty === "Allow") return allow()
  if (!protects("emptying-holds")) return allow()
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

function judgeFloors(facts: DeleteSetFacts): Verdict {
  const count = facts.kinds.length
  const reasons = facts.floors.flatMap(({ by, deletes, allowed, used }): Reason[] => {
    const left = Math.max(0, (isPlainDelete(facts) ? deletes : allowed) - used)
    if (count <= left || !protects("policy-floor")) return []
    const message = `${count} would be deleted; policy ${by} lets ${left} go now (${used} used)`
    return [{ guard: "policy", code: "PolicyLimit", message }]
  })
  return reasons.length === 0 ? allow() : { kind: "hold", reasons }
}

function judgeProtected({ protectedObjects }: DeleteSetFacts): Verdict {
  const [first] = protectedObjects
  if (first === undefined || !protects("protected-object")) return allow()
  const more = protectedObjects.length - 1
  const others = more === 0 ? "" : `, and ${more} more`
  const message = `${first.object} is protected by ${first.by}${others}`
  const hint = "approve the plan if it shall really be destroyed"
  return verdict("hold", { guard: "protection", code: "Protected", message, hint })
}

/** A source that lost most of what it declared is more likely broken than meant. */
function judgeShrunk({ shrunk, spec, origin }: DeleteSetFacts): Verdict {
  if (shrunk === undefined || origin !== "prune" || spec.onEmpty === "Allow") return allow()
  const { from, to } = shrunk
  if (from < shrunkMin || to * 100 >= from * spec.limits.shrinkPercent) return allow()
  if (!protects("source-shrunk")) return allow()
  const message = `the source declares ${to} objects; it declared ${from} before`
  const hint = "check that all of it is there; approve the plan if it is meant"
  return verdict("hold", { guard: "source-shrunk", code: "SourceShrunken", message, hint })
}

/** Of fewer, half is nobody's accident. */
const shrunkMin = 4
