// How a plan stands right now, for somebody who looks at it: what of it is no longer as it was,
// what waits instead, whether this caller may decide and why not, and what came of each approved
// action. It decides nothing: the plan keeper looks again when somebody does.

import type { WantedAccess } from "../api/extensions.ts"
import { isFault } from "../base/faults.ts"
import { equalJson } from "../base/json.ts"
import type { Action } from "../contract/action.ts"
import type { JournalEntry } from "../contract/journal.ts"
import { parseLoopId } from "../contract/loop.ts"
import { waitingPhases } from "../contract/plan.ts"
import type { Principal } from "../contract/principal.ts"
import { controllerFault } from "../controllers/faults.ts"
import {
  checkApprover,
  checkDecidable,
  type Decision,
  joinRules,
} from "../controllers/plan-approval.ts"
import { readJournalBackwards } from "../ledger/journal-search.ts"
import type { HeldAction, PlanDocument } from "../ledger/plan-ledger.ts"
import { slotOf } from "../reconcile/held-set.ts"
import type { Plane } from "./plane.ts"
import { Sight } from "./route-access.ts"

/** A change of these waits in a plan only when it is looser. */
export const loosenedKinds: ReadonlySet<string> = new Set(["Loop", "GuardPolicy"])

const changesShown = 100
const receiptsShown = 2000
const scannedMax = 20_000

export interface PlanChange {
  readonly state: "changed" | "gone" | "new"
  readonly verb: string
  readonly kind: string
  readonly object: string
  readonly target: string
  readonly digest: string
  /** What about it is different now, in words. */
  readonly what: string
}

export async function planStanding(
  plane: Plane,
  plan: PlanDocument,
  principal: Principal,
): Promise<object> {
  const sight = new Sight(plane, principal)
  const waiting = plane.engine.plans.pending(plan.loop)
  const now = waiting === undefined || !sight.plan(plan.loop, waiting.name) ? undefined : waiting
  const { name, hash, phase, note } = plan
  const changes = isCompared(plan) ? changesOf(plane, plan) : []
  return {
    ...{ name, hash, phase, note },
    ...(now === undefined ? {} : { waiting: now.name }),
    changeCount: changes.length,
    changes: changes.slice(0, changesShown),
    approve: decidable(plane, plan, "approve", principal),
    reject: decidable(plane, plan, "reject", principal),
    receipts: plan.done.length === 0 && phase !== "Executing" ? [] : await receipts(plane, plan),
  }
}

/** What is over for good is not compared with what waits today. */
const isCompared = ({ phase }: PlanDocument): boolean =>
  waitingPhases.has(phase) || phase === "Superseded" || phase === "Stale"

function changesOf(plane: Plane, plan: PlanDocument): PlanChange[] {
  const loop = plane.loops.get(plan.loop)
  if (loop === undefined) return []
  const known = new Set<string>()
  const found: PlanChange[] = []
  for (const { action } of plan.held) {
    known.add(`${action.uid}/${slotOf(action)}`)
    const now = loop.held.get(action.uid, slotOf(action))?.action
    if (now?.digest === action.digest) continue
    const state = now === undefined ? "gone" : "changed"
    found.push({ state, ...factsOf(action), what: differenceText(action, now) })
  }
  for (const { action } of loop.held.all()) {
    if (known.has(`${action.uid}/${slotOf(action)}`)) continue
    found.push({ state: "new", ...factsOf(action), what: "it waits since the plan was made" })
  }
  return found
}

const factsOf = ({ verb, kind, object, target, digest }: Action) => ({
  ...{ verb, kind, object, target, digest },
})

export function differenceText(before: Action, now: Action | undefined): string {
  if (now === undefined) return "it is not waiting any more"
  const parts = [
    now.verb === before.verb ? "" : `it would be ${now.verb} now, not ${before.verb}`,
    now.token === before.token ? "" : "the target changed",
    now.generation === before.generation ? "" : "it was declared anew",
    now.incarnation === before.incarnation ? "" : "the target was made anew",
    now.target === before.target ? "" : `the target is ${now.target} now`,
    equalJson(fieldsOf(before), fieldsOf(now)) ? "" : "other fields or values would change",
  ]
  return parts.filter((part) => part !== "").join("; ")
}

const fieldsOf = ({ changes }: Action) =>
  changes.map(({ path, before = null, after = null }) => ({ path, before, after }))

/** Whether the caller's decision would be taken, as far as can be told without looking outside. */
function decidable(
  plane: Plane,
  plan: PlanDocument,
  decision: Decision,
  principal: Principal,
): object {
  try {
    const { ledger } = plane.engine
    const now = ledger.time.now()
    checkDecidable(plan, decision, principal, now)
    requireRole(plane, plan, principal)
    if (decision === "reject") return { may: true }
    const loop = plane.loops.get(plan.loop)
    if (loop === undefined) throw controllerFault("SPT-PLAN-001", { plan: plan.name })
    const waiting = plane.engine.plans.pending(plan.loop) ?? plan
    const made = joinRules(plan.rules ?? [], waiting.rules ?? [])
    const rules = joinRules(made, [loop.spec.approvals])
    checkApprover(plan, plan.held, waiting.approvals, rules, principal, now)
    return { may: true }
  } catch (error) {
    if (!isFault(error)) throw error
    const { code, message, hint } = error
    return { may: false, code, message, hint }
  }
}

function requireRole(plane: Plane, plan: PlanDocument, principal: Principal): void {
  const sight = new Sight(plane, principal)
  const { namespace } = parseLoopId(plan.loop)
  const { name } = plan
  const approval = { verb: "approve", resource: "plans", subresource: "approval", namespace, name }
  const loosen: WantedAccess = { verb: "loosen", resource: "loops", namespace }
  const looser = plan.held.some(({ action }) => loosenedKinds.has(action.kind))
  for (const wanted of looser ? [approval, loosen] : [approval]) {
    if (!sight.may(wanted)) throw sight.refuse(wanted)
  }
}

/** From the journal, the newest first: what became of the actions since they were approved. */
async function receipts(plane: Plane, plan: PlanDocument): Promise<object[]> {
  const open = new Map<string, HeldAction>()
  for (const held of plan.held) open.set(keyOf(held.action), held)
  const found: object[] = []
  let scanned = 0
  for await (const entry of readJournalBackwards(plane.ports.store, plan.loop)) {
    if (++scanned > scannedMax || found.length >= receiptsShown || isBegin(entry, plan)) break
    const { event, time, sequence } = entry
    if (event.type !== "receipt") continue
    const held = open.get(keyOf(event.action))
    if (held === undefined) continue
    const { result, error, durationMs } = event
    found.push({ digest: held.action.digest, time, sequence, result, error, durationMs })
  }
  return found
}

/** Marking moves the generation and so the digest of a delete; the object and the verb stay. */
const keyOf = ({ uid, verb }: Action): string => `${uid}/${verb}`

const isBegin = ({ event }: JournalEntry, { name }: PlanDocument): boolean =>
  (event.type === "plan" && event.plan === name && event.phase === "Executing") ||
  (event.type === "held" && event.plan === name)
