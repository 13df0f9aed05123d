// What a decision opens and closes: the digests that the loop's guards let pass, for deletes a
// grant, since marking an object moves its generation and so its digest, and for what was rejected
// the memory of it.

import { enginePrincipal } from "../contract/principal.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { HeldAction, PlanDocument, Rejection } from "../ledger/plan-ledger.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import type { Following } from "./plan-steps.ts"

export function setApprovals(
  loop: LoopEngine,
  plan: PlanDocument,
  held: readonly HeldAction[],
): void {
  const principal = plan.approvals.at(-1)?.principal ?? enginePrincipal.name
  for (const { action } of held) loop.approvals.set(action.digest, { plan: plan.name, principal })
}

/** An approved delete carries its permission, bound to the target as it was looked at. */
export function grants(
  loop: LoopEngine,
  plan: PlanDocument,
  chosen: readonly HeldAction[],
  { budgets }: Ledger,
): Following[] {
  const names = [...new Set(plan.approvals.map((one) => one.principal))].join(", ")
  const principal = plan.approvals.at(-1)?.principal ?? enginePrincipal.name
  return chosen.flatMap(({ action }): Following[] => {
    if (action.verb !== "delete") return []
    const { uid, token = "", cause } = action
    const { sourceRevision } = cause
    const known = budgets.grantOf(uid)
    return [
      {
        make: () =>
          budgets.grant({
            ...{ uid, loop: loop.id, at: budgets.now(), plan: plan.name, token, principal },
            cause: `${cause.text}; approved by ${names}`,
            ...(sourceRevision === undefined ? {} : { sourceRevision }),
          }),
        undo: () => void (known === undefined ? budgets.revoke(uid) : budgets.grant(known)),
      },
    ]
  })
}

/** Approved, and without the permission: a crash came before it was written. */
export function missingGrants(
  loop: LoopEngine,
  plan: PlanDocument,
  open: readonly HeldAction[],
  ledger: Ledger,
): Following[] {
  const bare = open.filter(({ action }) => ledger.budgets.grantOf(action.uid) === undefined)
  return grants(loop, plan, bare, ledger)
}

export function rejections(
  { held, loop }: PlanDocument,
  by: Pick<Rejection, "sourceRevision" | "principal" | "at">,
  { plans }: Ledger,
): Following[] {
  return held.map(({ action, desiredHash }) => {
    const { uid, verb, generation } = action
    return {
      make: () => plans.reject({ uid, verb, loop, generation, desiredHash, ...by }),
      undo: () => void plans.forgetRejection(loop, uid, verb),
    }
  })
}
