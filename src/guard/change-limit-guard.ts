// Over the change limit a round proceeds gradually: what fits into the window runs, the rest waits
// for the window to move on. Limits of policies count besides the loop's own.

import { protects } from "../base/protections.ts"
import { type Guard, limitsOf, type RoundFacts, verdict } from "./guard.ts"

/** Rank of each limited change in its round, computed once per round. */
const ranks = new WeakMap<RoundFacts, Map<string, number>>()

function rankOf(digest: string, facts: RoundFacts): number {
  let known = ranks.get(facts)
  if (known === undefined) {
    const limited = facts.actions.filter((item) => item.limitedChange && !item.approved)
    known = new Map(limited.map((item, index) => [item.action.digest, index]))
    ranks.set(facts, known)
  }
  return known.get(digest) ?? 0
}

export const changeLimitGuard: Guard = {
  name: "change-limit",
  judge({ action, limitedChange, approved }, facts) {
    if (!limitedChange || approved || !protects("change-limit")) return undefined
    const rank = rankOf(action.digest, facts)
    const over = limitsOf(facts).find((limit) => limit.changesUsed + rank >= limit.changes)
    if (over === undefined) return undefined
    const used = `${over.changesUsed} of ${over.changes} changes of this window are used`
    const message = `${used} (${over.by})`
    const hint = "it goes on by itself when the window moves; raise spec.limits.changes to hurry"
    return verdict("wait", { guard: "change-limit", code: "ChangeLimit", message, hint })
  },
}
