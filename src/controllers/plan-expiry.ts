// When plans end by time, by the ledger's clock: what waits for people, and what was approved and
// could not be done. Their approvals are void; their actions are held again in a fresh plan, so
// that nothing is lost. Pure; the keeper writes it and keeps the timer.

import type { PlanPhase } from "../contract/plan.ts"
import { waitingPhases } from "../contract/plan.ts"
import type { Write } from "../contract/store.ts"
import type { Budgets } from "../ledger/budgets.ts"
import type { PlanDocument } from "../ledger/plan-ledger.ts"
import { slotOf } from "../reconcile/held-set.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { hasExpired, openActions } from "./plan-approval.ts"

/** A timer can't be set for longer than some weeks; and a clock may drift. */
const lookAtLeastMs = 3_600_000
const lookAgainMs = 1000

const canExpire = (phase: PlanPhase): boolean => waitingPhases.has(phase) || phase === "Executing"

/** So long until one of these plans has to be looked at; undefined when none will expire. */
export function expiryDelayMs(plans: readonly PlanDocument[], now: number): number | undefined {
  const times = plans.flatMap(({ phase, expiresAt }) =>
    canExpire(phase) && expiresAt !== undefined ? [expiresAt] : [],
  )
  if (times.length === 0) return undefined
  return Math.min(lookAtLeastMs, Math.max(lookAgainMs, Math.min(...times) - now))
}

/** What is over now; a plan of which an act is under way waits for its receipt. */
export function expiredPlans(
  plans: readonly PlanDocument[],
  loop: Pick<LoopEngine, "acting">,
  now: number,
): readonly PlanDocument[] {
  return plans.filter(
    (plan) =>
      canExpire(plan.phase) &&
      hasExpired(plan, now) &&
      !(
        plan.phase === "Executing" &&
        openActions(plan).some((one) => loop.acting.has(one.action.uid))
      ),
  )
}

/** Takes back what was approved and not done, and holds it again. */
export function takeBack(plan: PlanDocument, loop: LoopEngine, budgets: Budgets): Write[] {
  if (plan.phase !== "Executing") return []
  return openActions(plan).flatMap((held) => {
    const { uid, digest } = held.action
    loop.approvals.delete(digest)
    if (loop.held.get(uid, slotOf(held.action)) === undefined) loop.held.put(held)
    if (budgets.grantOf(uid)?.plan !== plan.name) return []
    return [budgets.revoke(uid) ?? []].flat()
  })
}

export function expiryNote(plan: PlanDocument): string {
  const open = plan.phase === "Executing" ? openActions(plan).length : plan.held.length
  const what = plan.phase === "Executing" ? "approved and not done" : "not decided"
  const given = plan.approvals.length === 0 ? "" : ", its approvals are void"
  return `${open} ${what} in time${given}; what is still asked for is held anew`
}
