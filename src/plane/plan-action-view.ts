// What the plan views tell beyond the Plan object: counts by verb, who asked and from which source
// revisions, and of each action how far it is.

import type { JsonObject } from "../base/json.ts"
import { waitingPhases } from "../contract/plan.ts"
import { authorsOf } from "../controllers/plan-approval.ts"
import { actionView } from "../controllers/plan-object.ts"
import type { HeldAction, PlanDocument } from "../ledger/plan-ledger.ts"
import { countVerbs } from "../reconcile/loop-engine.ts"

const namedAtMost = 10

export function planFacts({ held, approved, phase }: PlanDocument): JsonObject {
  const actions = held.map(({ action }) => action)
  const counts = Object.entries(countVerbs(actions)).filter(([, count]) => count > 0)
  const revisions = new Set(actions.flatMap(({ cause }) => cause.sourceRevision ?? []))
  const authors = new Set(actions.flatMap(authorsOf))
  return {
    verbs: Object.fromEntries(counts),
    revisions: [...revisions].slice(0, namedAtMost),
    authors: [...authors].slice(0, namedAtMost),
    ...(approved === undefined || waitingPhases.has(phase)
      ? {}
      : { approvedActions: approved.length }),
  }
}

export function planActionView(plan: PlanDocument, held: HeldAction): JsonObject {
  const { cause, digest } = held.action
  const { sourceRevision, principal } = cause
  return {
    ...actionView(held),
    causeKind: cause.kind,
    ...(sourceRevision === undefined ? {} : { sourceRevision }),
    ...(principal === undefined ? {} : { principal }),
    codes: held.reasons.map(({ code }) => code),
    state: stateOf(plan, digest),
  }
}

/** Lists of thousands are asked thousands of times. */
const sets = new WeakMap<readonly string[], ReadonlySet<string>>()

function isAmong(digests: readonly string[], digest: string): boolean {
  const known = sets.get(digests) ?? new Set(digests)
  sets.set(digests, known)
  return known.has(digest)
}

/** done: has its receipt; approved: is being done; waiting: nobody let it go. */
function stateOf({ done, approved, phase }: PlanDocument, digest: string): string {
  if (isAmong(done, digest)) return "done"
  const going = phase === "Executing" && (approved === undefined || isAmong(approved, digest))
  return going ? "approved" : "waiting"
}
