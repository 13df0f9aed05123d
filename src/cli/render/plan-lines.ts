// A held plan as a person reads it before deciding: what would be done to what, why it is held, and
// the hash that an approval is bound to.

import { parseKeyText } from "../../object/object.ts"
import type { PlanActionView, PlanPage, PlanSummary } from "../plan-answers.ts"
import type { Terminal } from "../terminal.ts"
import { ageText } from "./age.ts"
import { changeLines } from "./field-change.ts"
import { verbStyles, verbSymbols } from "./preview-text.ts"
import { printable } from "./printable.ts"
import { tableLines } from "./table.ts"

type Paints = Pick<Terminal, "paint" | "columns">

export function planTable(plans: readonly PlanSummary[], now: number): string[] {
  const rows = plans.map((plan) => {
    const waits = isWaiting(plan)
    const why = waits ? (plan.reasons[0]?.message ?? "") : plan.note
    const age = ageText(plan.createdAt, now)
    const left = waits ? leftText(plan.expiresAt, now) : ""
    return [plan.name, plan.loop, phaseText(plan), plan.summary, age, left, why]
  })
  return tableLines(["Name", "Loop", "Phase", "Actions", "Age", "Expires", "Why"], rows)
}

const isWaiting = ({ phase }: PlanSummary): boolean => phase === "Pending" || phase === "Approved"

/** "Approved (1 of 2)" waits for more people; "Executing (3 of 4 done)" goes by itself. */
function phaseText({ phase, done, actionCount, approved, required }: PlanSummary): string {
  if (phase === "Executing") return `${phase} (${done} of ${actionCount} done)`
  return phase === "Approved" ? `${phase} (${approved} of ${required})` : phase
}

/** "in 6d"; nothing where it never expires. */
function leftText(expiresAt: string, now: number): string {
  const at = Date.parse(expiresAt)
  return Number.isNaN(at) ? "" : `in ${ageText(new Date(now).toISOString(), at)}`
}

export function planLines(plan: PlanPage, terminal: Paints, actionsMax = 100): string[] {
  const shown = plan.actions.slice(0, actionsMax)
  const first = plan.page * pageSize
  const after = plan.actionCount - first - shown.length
  const blocks = shown.flatMap((action, index) => {
    const lines = planActionLines(action, terminal)
    const short = index > 0 && lines.length === 1 && shown[index - 1]?.changes.length === 0
    return short ? lines : ["", ...lines]
  })
  const next = `setpoint plans ${plan.name} --page ${plan.page + 2}`
  const more =
    after <= 0
      ? []
      : ["", plan.page + 1 < plan.pages ? `… and ${after} more (${next})` : `… and ${after} more`]
  return [...headLines(plan, terminal), ...blocks, ...more]
}

const pageSize = 500

function headLines(plan: PlanPage, terminal: Paints): string[] {
  const fact = (name: string, value: string) => `  ${`${name}:`.padEnd(10)}${printable(value)}`
  const reasons = plan.reasons.flatMap(({ message, hint }) => [
    fact("held", message),
    ...(hint === "" ? [] : [fact("hint", hint)]),
  ])
  const by = plan.approvals.map(({ principal, at, actions }) => {
    const part = actions < plan.actionCount ? ` (${actions} of ${plan.actionCount} actions)` : ""
    return fact("approved", `${principal} at ${at}${part}`)
  })
  return [
    `${terminal.paint("bold", `plan ${printable(plan.name)}`)}  ${plan.phase}: ${plan.summary}`,
    fact("loop", plan.loop),
    fact("made", plan.createdAt),
    ...reasons,
    ...by,
    ...(isWaiting(plan) ? [fact("needs", needsText(plan))] : []),
    ...(isWaiting(plan) && plan.expiresAt !== "" ? [fact("expires", plan.expiresAt)] : []),
    ...(plan.note === "" ? [] : [fact("note", plan.note)]),
    fact("hash", plan.hash),
  ]
}

function needsText({ approved, required, separateAuthor, approvers }: PlanSummary): string {
  const people = required === 1 ? "1 person" : `${required} different people, ${approved} so far`
  const who = approvers.length === 0 ? "" : `, of ${approvers.join(", ")}`
  return `${people}${who}${separateAuthor ? "; not who asked for it" : ""}`
}

const whys: Readonly<Record<string, string>> = {
  requested: "declared",
  drift: "someone changed it",
  adopt: "exists and is not ours",
  conflict: "changed there and here",
}

export function planActionLines(action: PlanActionView, terminal: Paints): string[] {
  const { verb, object, kind, target, digest, cause, changes } = action
  const symbol = terminal.paint(verbStyles[verb] ?? "dim", verbSymbols[verb] ?? "?")
  const name = terminal.paint("bold", printable(`${kind} ${parseKeyText(object).name}`))
  const short = terminal.paint("dim", digest.slice(0, 12))
  const said = terminal.paint("dim", `# ${printable(cause)}`)
  return [
    `${symbol} ${verb} ${name}  ${printable(target)}  ${short}  ${said}`,
    ...changes.flatMap((change) =>
      changeLines({ ...change, reason: whys[change.why] ?? change.why }, terminal),
    ),
  ]
}
