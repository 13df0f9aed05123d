// What the plane answers about plans, and how it is put into words. Pure.

import type { Tone } from "../../ui/badge.tsx"

export interface PlanReason {
  readonly guard?: string
  readonly code?: string
  readonly message: string
  readonly hint?: string
}

export interface PlanSummary {
  readonly name: string
  readonly loop: string
  readonly hash: string
  readonly phase: string
  readonly note?: string
  readonly createdAt: string
  readonly expiresAt?: string
  readonly summary: string
  readonly actionCount: number
  readonly done: number
  /** How many of them people let go, once they did. */
  readonly approvedActions?: number
  readonly verbs: Readonly<Record<string, number>>
  readonly revisions: readonly string[]
  readonly authors: readonly string[]
  readonly approvals: readonly {
    readonly principal: string
    readonly at: string
    readonly actions: number
  }[]
  readonly approved: number
  readonly required: number
  readonly separateAuthor: boolean
  readonly approvers?: readonly string[]
  readonly reasons: readonly PlanReason[]
}

export interface PlanAction {
  readonly verb: string
  readonly object: string
  readonly kind: string
  readonly target: string
  readonly digest: string
  readonly cause: string
  readonly causeKind: string
  readonly authors?: readonly string[]
  readonly sourceRevision?: string
  readonly why: string
  readonly state: "waiting" | "approved" | "done"
  readonly changes?: readonly {
    readonly path: string
    readonly before?: unknown
    readonly after?: unknown
    readonly why: string
  }[]
}

export interface PlanPageView extends PlanSummary {
  readonly page: number
  readonly pages: number
  readonly actions: readonly PlanAction[]
}

export interface MayDecide {
  readonly may: boolean
  readonly code?: string
  readonly message?: string
  readonly hint?: string
}

export interface PlanChange {
  readonly state: "changed" | "gone" | "new"
  readonly verb: string
  readonly kind: string
  readonly object: string
  readonly target: string
  readonly what: string
}

export interface Receipt {
  readonly digest: string
  readonly time: string
  readonly sequence: number
  readonly result: "done" | "failed" | "unknown"
  readonly error?: string
  readonly durationMs: number
}

export interface PlanStanding extends PlanSummary {
  /** The plan of its loop that waits for people now. */
  readonly waiting?: string
  readonly changeCount: number
  readonly changes: readonly PlanChange[]
  readonly approve: MayDecide
  readonly reject: MayDecide
  readonly receipts: readonly Receipt[]
}

export const isWaiting = (phase: string): boolean => phase === "Pending" || phase === "Approved"

/** It was there to be decided on, and what it said is no longer what would happen. */
export const isOvertaken = (phase: string): boolean =>
  phase === "Stale" || phase === "Superseded" || phase === "Expired"

const tones: Readonly<Record<string, Tone>> = {
  Pending: "warn",
  Approved: "warn",
  Executing: "busy",
  Done: "good",
  Rejected: "calm",
  Stale: "calm",
  Superseded: "calm",
  Expired: "calm",
}

export const phaseTone = (phase: string): Tone => tones[phase] ?? "calm"

type Counted = Pick<
  PlanSummary,
  "phase" | "done" | "actionCount" | "approvedActions" | "approved" | "required"
>

/** "Approved, 1 of 2", "Executing, 3 of 4" */
export function phaseText(plan: Counted): string {
  const { phase, done, approved, required } = plan
  if (phase === "Executing") return `${phase}, ${done} of ${letGo(plan)}`
  return phase === "Approved" ? `${phase}, ${approved} of ${required}` : phase
}

/** How many actions are to be done: a part of the plan may have been approved. */
export const letGo = ({
  approvedActions,
  actionCount,
}: Pick<PlanSummary, "approvedActions" | "actionCount">): number => approvedActions ?? actionCount

/** What waits for people first, the oldest of them on top; then the rest, the youngest on top. */
export function inOrder(plans: readonly PlanSummary[]): PlanSummary[] {
  const rank = ({ phase }: PlanSummary) => (isWaiting(phase) ? 0 : phase === "Executing" ? 1 : 2)
  return [...plans].sort((left, right) => {
    const order = rank(left) - rank(right)
    if (order !== 0) return order
    const older = left.createdAt < right.createdAt ? -1 : left.createdAt > right.createdAt ? 1 : 0
    return rank(left) === 0 ? older : -older
  })
}

const endings: Readonly<Record<string, string>> = { delete: "deletes", update: "updates" }

/** "40 deletes and 1 update": what the question before a decision repeats. */
export function countText(verbs: Readonly<Record<string, number>>): string {
  const parts = Object.entries(verbs)
    .filter(([, count]) => count > 0)
    .map(([verb, count]) => `${count} ${count === 1 ? verb : (endings[verb] ?? `${verb}s`)}`)
  if (parts.length < 2) return parts[0] ?? "nothing"
  return `${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}`
}

export function countVerbs(actions: Iterable<{ readonly verb: string }>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { verb } of actions) counts[verb] = (counts[verb] ?? 0) + 1
  return counts
}

export const destroys = (verbs: Readonly<Record<string, number>>): boolean =>
  (verbs.delete ?? 0) + (verbs.replace ?? 0) > 0

type Needs = Pick<PlanSummary, "approved" | "required" | "separateAuthor" | "approvers">

export function needsText({ approved, required, separateAuthor, approvers = [] }: Needs): string {
  const people = required === 1 ? "1 person" : `${required} different people, ${approved} so far`
  const who = approvers.length === 0 ? "" : `, of ${approvers.join(", ")}`
  return `${people}${who}${separateAuthor ? "; not who asked for it" : ""}`
}

/** Who asked for it: people by name, else the source and its revision. */
export function askedText({
  authors,
  revisions,
}: Pick<PlanSummary, "authors" | "revisions">): string {
  if (authors.length > 0) return authors.join(", ")
  const [first, ...more] = revisions
  if (first === undefined) return "the world changed"
  return `source ${first.slice(0, 8)}${more.length > 0 ? ` and ${more.length} more` : ""}`
}

/** "files.host.setpoint.dev/default/motd" is called "motd". */
export const nameOf = (object: string): string => object.slice(object.lastIndexOf("/") + 1)

export function namespaceOf(loop: string): string {
  const dot = loop.indexOf(".")
  return dot < 0 ? loop : loop.slice(0, dot)
}

/** Of which refusals a part of the plan may still be approved. */
export const mayInPart = ({ may, code }: MayDecide): boolean =>
  may || code === "SPT-PLAN-013" || code === "SPT-PLAN-014"
