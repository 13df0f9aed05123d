// The rules of approving, pure: who may approve which actions, how many people an action needs and
// who approved it so far. Rules of when the plan was made and of now both count, so that a plan
// never needs less than when people began to look at it.

import { jsonText } from "../base/json-text.ts"
import { protects } from "../base/protections.ts"
import type { Action } from "../contract/action.ts"
import type { ApprovalRules } from "../contract/loop.ts"
import { type PlanPhase, waitingPhases } from "../contract/plan.ts"
import { isSource, type Principal } from "../contract/principal.ts"
import type { HeldAction, PlanApproval, PlanDocument } from "../ledger/plan-ledger.ts"
import { slotOf } from "../reconcile/held-set.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { controllerFault } from "./faults.ts"

export type Decision = "approve" | "reject"

export const requiredBy = (rules: readonly ApprovalRules[]): number =>
  Math.max(1, ...rules.map((one) => one.required))

/** The same rules twice say nothing new. */
export function joinRules(
  first: readonly ApprovalRules[],
  second: readonly ApprovalRules[],
): readonly ApprovalRules[] {
  const texts = new Map([...first, ...second].map((one) => [jsonText(one), one]))
  return [...texts.values()]
}

/** As it has to be decided now: with the rules of its loop besides those it was made with. */
export function withRulesInForce(plan: PlanDocument, loop: LoopEngine | undefined): PlanDocument {
  if (loop === undefined || !waitingPhases.has(plan.phase)) return plan
  return { ...plan, rules: joinRules(plan.rules ?? [], [loop.spec.approvals]) }
}

/** Everyone who asked for it, where anyone did; a source is never the same person as anyone. */
export function authorsOf({ cause }: Action): readonly string[] {
  const first = cause.principal === undefined ? [] : [cause.principal]
  const all = [...new Set([...first, ...(cause.authors ?? [])])]
  return all.filter((name) => !isSource({ name }))
}

const isAuthor = (name: string, action: Action, rules: readonly ApprovalRules[]): boolean =>
  rules.some((one) => one.separateAuthor) &&
  protects("separate-author") &&
  authorsOf(action).includes(name)

const isNamed = (name: string, rules: readonly ApprovalRules[]): boolean =>
  rules.every(({ approvers }) => approvers.length === 0 || approvers.includes(name))

export function hasExpired({ expiresAt }: Pick<PlanDocument, "expiresAt">, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt && protects("approval-expires")
}

/** Lists of thousands are asked thousands of times. */
const sets = new WeakMap<readonly string[], ReadonlySet<string>>()

function isAmong(digests: readonly string[], digest: string): boolean {
  const known = sets.get(digests) ?? new Set(digests)
  sets.set(digests, known)
  return known.has(digest)
}

const covers = ({ digests }: PlanApproval, digest: string): boolean =>
  digests === undefined || isAmong(digests, digest)

/** The different people whose approval of this action counts now. */
export function approversOf(
  action: Action,
  approvals: readonly PlanApproval[],
  rules: readonly ApprovalRules[],
  now: number,
): readonly string[] {
  const valid = approvals.filter(
    (one) =>
      covers(one, action.digest) &&
      !hasExpired(one, now) &&
      isNamed(one.principal, rules) &&
      !isAuthor(one.principal, action, rules),
  )
  return [...new Set(valid.map((one) => one.principal))]
}

/** What a new plan takes over: approvals of actions that waited all the time, in their own time. */
export function carriedApprovals(
  before: PlanDocument | undefined,
  held: readonly HeldAction[],
  now: number,
): readonly PlanApproval[] {
  const still = new Set(held.map(({ action }) => action.digest))
  return (before?.approvals ?? []).flatMap((approval) => {
    if (hasExpired(approval, now)) return []
    const all = approval.digests ?? before?.held.map(({ action }) => action.digest) ?? []
    const digests = all.filter((digest) => still.has(digest))
    return digests.length === 0 ? [] : [{ ...approval, digests }]
  })
}

/** "1 of 2": the action with the fewest approvals says how far the plan is. */
export function approvalProgress(
  plan: Pick<PlanDocument, "held" | "approvals" | "rules">,
  now: number,
): { readonly given: number; readonly required: number } {
  const rules = plan.rules ?? []
  const counts = plan.held.map(
    ({ action }) => approversOf(action, plan.approvals, rules, now).length,
  )
  return { given: counts.length === 0 ? 0 : Math.min(...counts), required: requiredBy(rules) }
}

/** Refuses who may not decide at all, and plans on which nothing is to be decided any more. */
export function checkDecidable(
  plan: PlanDocument,
  decision: Decision,
  principal: Principal,
  now: number,
): void {
  const { name, phase } = plan
  if (principal.kind !== "human" && protects("agents-never-approve")) {
    const facts = { principal: principal.name, kind: kindText[principal.kind] }
    throw controllerFault("SPT-PLAN-005", { plan: name, decision, ...facts })
  }
  // A superseded plan may still be approved: what counts is that its digests are still held.
  const waits = waitingPhases.has(phase)
  const open = waits || (decision === "approve" && phase === "Superseded")
  if (open && hasExpired(plan, now)) throw controllerFault("SPT-PLAN-012", { plan: name, decision })
  if (!open) throw ended(plan, phase, decision)
}

export const kindText = { human: "a person", service: "a service", agent: "an agent" } as const

function ended(plan: PlanDocument, phase: PlanPhase, decision: Decision): Error {
  const facts = { plan: plan.name, decision }
  const by = plan.approvals.map((one) => one.principal).join(", ")
  if (phase === "Executing" || phase === "Done") {
    const state = phase === "Done" ? "it is Done" : "it is Executing"
    return controllerFault("SPT-PLAN-010", { ...facts, state, by })
  }
  if (phase === "Rejected")
    return controllerFault("SPT-PLAN-011", { ...facts, note: plan.note ?? "" })
  if (phase === "Expired") return controllerFault("SPT-PLAN-012", facts)
  return controllerFault("SPT-PLAN-002", { ...facts, phase })
}

/** The actions that this person's approval is new for; refuses where it must not be given. */
export function checkApprover(
  plan: PlanDocument,
  chosen: readonly HeldAction[],
  approvals: readonly PlanApproval[],
  rules: readonly ApprovalRules[],
  principal: Principal,
  now: number,
): readonly HeldAction[] {
  const { name } = principal
  const facts = { plan: plan.name, principal: name }
  if (!isNamed(name, rules)) {
    const lists = rules.flatMap((one) => one.approvers)
    const allowed = [...new Set(lists)].filter((one) => isNamed(one, rules))
    const approvers = allowed.length === 0 ? "nobody (the lists have no common name)" : allowed
    throw controllerFault("SPT-PLAN-015", { ...facts, approvers: String(approvers) })
  }
  const own = chosen.filter(({ action }) => isAuthor(name, action, rules))
  if (own.length > 0) {
    throw controllerFault("SPT-PLAN-014", { ...facts, actions: describeActions(own) })
  }
  const fresh = chosen.filter(
    ({ action }) => !approversOf(action, approvals, rules, now).includes(name),
  )
  if (fresh.length > 0) return fresh
  throw controllerFault("SPT-PLAN-013", { ...facts, required: requiredBy(rules) })
}

const namedAtMost = 5

function describeActions(held: readonly HeldAction[]): string {
  const named = held.slice(0, namedAtMost).map(({ action }) => `${action.verb} of ${action.target}`)
  return `${named.join(", ")}${moreText(held.length - named.length)}`
}

const moreText = (count: number): string => (count > 0 ? `, and ${count} more` : "")

/** Approved, and without a receipt. */
export function openActions(plan: PlanDocument): HeldAction[] {
  const { approved, done } = plan
  const isChosen = (digest: string) => approved === undefined || isAmong(approved, digest)
  return plan.held.filter(({ action }) => isChosen(action.digest) && !isAmong(done, action.digest))
}

export function chooseActions(
  plan: PlanDocument,
  digests?: readonly string[],
): readonly HeldAction[] {
  if (digests === undefined) return plan.held
  if (digests.length === 0) throw controllerFault("SPT-PLAN-006", { plan: plan.name, digest: "" })
  const chosen = digests.map((digest) => {
    const found = plan.held.filter(({ action }) => action.digest.startsWith(digest))
    const [held] = found
    // A start that fits several would choose one that nobody meant.
    if (held === undefined || digest === "" || found.length > 1) {
      throw controllerFault("SPT-PLAN-006", { plan: plan.name, digest })
    }
    return held
  })
  return [...new Set(chosen)]
}

export function describeChanged(loop: LoopEngine, gone: readonly HeldAction[]): string {
  const named = gone.slice(0, namedAtMost).map((held) => {
    const now = loop.held.get(held.action.uid, slotOf(held.action))
    return now === undefined
      ? `${held.action.target} is not waiting any more`
      : `${held.action.target} changed after the plan was made`
  })
  return `${named.join(", ")}${moreText(gone.length - named.length)}`
}
