// Deleting a plan: a pending one is rejected, an ended one is removed, one at work stays.

import { endedPhases, type PlanPhase, waitingPhases } from "../contract/plan.ts"
import type { Principal } from "../contract/principal.ts"
import type { Deleted } from "../contract/verbs.ts"
import type { ApiContext } from "./api-context.ts"
import { apiFault } from "./faults.ts"
import { markObjects } from "./mark-objects.ts"
import type { StoredObject } from "./stored-object.ts"
import { conflict } from "./write-object.ts"

export async function deletePlan(
  context: ApiContext,
  principal: Principal,
  plan: StoredObject,
  dryRun: boolean,
): Promise<Deleted> {
  const phase = plan.object.status?.phase ?? "Pending"
  if (waitingPhases.has(phase as PlanPhase)) {
    const object = dryRun ? plan.object : await context.rejectPlan(principal, plan.object)
    return { object, gone: false }
  }
  if (!endedPhases.has(phase as PlanPhase)) {
    const why = `it is ${phase}`
    const way = "`setpoint stop` stops acting; the plan ends by itself"
    throw apiFault("SPT-API-015", { what: `plan ${plan.key.name}`, why, way })
  }
  const none = { checks: [], writes: [] }
  const marked = await markObjects(context, [plan], [plan], none, { dryRun })
  const [deleted] = marked ?? []
  if (deleted === undefined) throw conflict(plan.key)
  return deleted
}
