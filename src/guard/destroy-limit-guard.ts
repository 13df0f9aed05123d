// Updates and replaces that destroy something draw on the same window as deletes, whatever they are
// called: over it all of them wait for a person. Deletes were counted when they were marked.

import { protects } from "../base/protections.ts"
import { countDestroyed, effectText } from "./effects.ts"
import { type Guard, type JudgedAction, limitsOf, type RoundFacts, verdict } from "./guard.ts"

const sums = new WeakMap<RoundFacts, number>()

const draws = ({ action, approved, effects }: JudgedAction): boolean =>
  action.verb !== "delete" && !approved && effects.length > 0

/** What all unapproved actions of the round would destroy together. */
function destroyedBy(facts: RoundFacts): number {
  let sum = sums.get(facts)
  if (sum === undefined) {
    const drawing = facts.actions.filter(draws)
    sum = drawing.reduce((total, item) => total + countDestroyed(item.effects), 0)
    sums.set(facts, sum)
  }
  return sum
}

export const destroyLimitGuard: Guard = {
  name: "destroy-limit",
  judge(item, facts) {
    if (!draws(item) || !protects("destruction-by-effect")) return undefined
    const sum = destroyedBy(facts)
    for (const { by, allowed, deletesUsed } of limitsOf(facts)) {
      const left = Math.max(0, allowed - deletesUsed)
      if (sum <= left) continue
      const what = item.effects.slice(0, 3).map(effectText).join(", ")
      const message = `it ${what}; together ${sum} would be destroyed, ${left} may be now (${by})`
      const hint = "look at the plan; approve it, or restore what was removed"
      return verdict("hold", { guard: "destroy-limit", code: "DeleteLimit", message, hint })
    }
    return undefined
  },
}
