// The Plan object that the API shows: a view of the ledger's plan, with a summary and the first
// actions. The rest is read in pages from the ledger.

import { toTimestamp } from "../base/clock.ts"
import type { Json, JsonObject } from "../base/json.ts"
import { parseLoopId } from "../contract/loop.ts"
import type { HeldAction, PlanDocument } from "../ledger/plan-ledger.ts"
import { type ApiObject, apiVersionOf, setpointGroup, setpointVersion } from "../object/object.ts"
import { countVerbs } from "../reconcile/loop-engine.ts"
import { approvalProgress, authorsOf } from "./plan-approval.ts"

export const planResource = {
  group: setpointGroup,
  version: setpointVersion,
  resource: "plans",
} as const

const actionsShown = 20

export function planObject(plan: PlanDocument): ApiObject {
  const { namespace } = parseLoopId(plan.loop)
  return {
    apiVersion: apiVersionOf(setpointGroup, setpointVersion),
    kind: "Plan",
    metadata: { name: plan.name, namespace },
    spec: {
      loop: plan.loop,
      hash: plan.hash,
      summary: planSummary(plan.held),
      reasons: planReasons(plan.held),
      actionCount: plan.held.length,
      ...planRevision(plan.held),
      actions: plan.held.slice(0, actionsShown).map(actionView),
    },
  }
}

export function planStatus(plan: PlanDocument, now: number): JsonObject {
  return {
    phase: plan.phase,
    done: plan.done.length,
    ...(plan.note === undefined ? {} : { note: plan.note }),
    ...approvalView(plan, now),
  }
}

/** Who approved how many actions, how many people it needs, who they may be, and until when. */
export function approvalView(plan: PlanDocument, now: number): JsonObject {
  const { given, required } = approvalProgress(plan, now)
  const rules = plan.rules ?? []
  const named = rules.filter((one) => one.approvers.length > 0)
  const approvers = named[0]?.approvers.filter((one) =>
    named.every((other) => other.approvers.includes(one)),
  )
  return {
    approved: given,
    required,
    separateAuthor: rules.some((one) => one.separateAuthor),
    ...(approvers === undefined ? {} : { approvers: [...approvers] }),
    ...(plan.expiresAt === undefined ? {} : { expiresAt: toTimestamp(plan.expiresAt) }),
    approvals: plan.approvals.map(({ principal, at, digests }) => ({
      principal,
      at,
      actions: digests?.length ?? plan.held.length,
    })),
  }
}

/** "40 deletes, 1 adopt" */
export function planSummary(held: readonly HeldAction[]): string {
  const counts = countVerbs(held.map((one) => one.action))
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  return parts.map(([verb, count]) => `${count} ${verb}${count === 1 ? "" : "s"}`).join(", ")
}

/** The source revision that asks for it; where there are several, each action says its own. */
export function planRevision(held: readonly HeldAction[]): { sourceRevision?: string } {
  const [first, ...others] = new Set(held.map(({ action }) => action.cause.sourceRevision))
  return first === undefined || others.length > 0 ? {} : { sourceRevision: first }
}

function planReasons(held: readonly HeldAction[]): Json {
  const reasons = new Map(held.flatMap((one) => one.reasons).map((one) => [one.message, one]))
  return [...reasons.values()].slice(0, 10).map((reason) => ({ ...reason }))
}

export function actionView(held: HeldAction): JsonObject {
  const { action, reasons } = held
  const { sourceRevision } = action.cause
  return {
    verb: action.verb,
    object: action.object,
    kind: action.kind,
    target: action.target,
    digest: action.digest,
    cause: action.cause.text,
    ...(sourceRevision === undefined ? {} : { sourceRevision }),
    ...(authorsOf(action).length === 0 ? {} : { authors: [...authorsOf(action)] }),
    why: reasons.map((reason) => reason.message).join("; "),
    ...(action.changes.length === 0 ? {} : { changes: action.changes.map((one) => ({ ...one })) }),
  }
}
