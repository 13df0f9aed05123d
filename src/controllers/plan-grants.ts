// What an approval opens: the digests that the loop's guards let pass, and for deletes a grant,
// since marking an object moves its generation and so its digest.

import { enginePrincipal } from "../contract/principal.ts"
import type { Write } from "../contract/store.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { HeldAction, PlanDocument } from "../ledger/plan-ledger.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"

export function setApprovals(
  loop: LoopEngine,
  plan: PlanDocument,
  held: readonly HeldAction[],
): void {
  const principal = plan.approvals.at(-1)?.principal ?? enginePrincipal.name
  for (const { action } of held) loop.approvals.set(action.digest, { plan: plan.name, principal })
}

/** An approved delete carries its permission, bound to the target as it was looked at. */
export function grantWrites(
  loop: LoopEngine,
  plan: PlanDocument,
  chosen: readonly HeldAction[],
  names: string,
  { budgets }: Ledger,
): Write[] {
  return chosen.flatMap(({ action }): Write[] => {
    if (action.verb !== "delete") return []
    const { uid, token = "", cause } = action
    const revision =
      cause.sourceRevision === undefined ? {} : { sourceRevision: cause.sourceRevision }
    return [
      budgets.grant({
        ...{ uid, loop: loop.id, at: budgets.now(), plan: plan.name, token },
        principal: plan.approvals.at(-1)?.principal ?? names,
        cause: `${cause.text}; approved by ${names}`,
        ...revision,
      }),
    ]
  })
}
