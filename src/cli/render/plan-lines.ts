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
    const done = plan.phase === "Executing" ? ` (${plan.done} of ${plan.actionCount} done)` : ""
    const why = plan.phase === "Pending" ? (plan.reasons[0]?.message ?? "") : plan.note
    const age = ageText(plan.createdAt, now)
    return [plan.name, plan.loop, `${plan.phase}${done}`, plan.summary, age, why]
  })
  return tableLines(["Name", "Loop", "Phase", "Actions", "Age", "Why"], rows)
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
  const by = plan.approvals.map(({ principal, at }) => fact("approved", `${principal} at ${at}`))
  return [
    `${terminal.paint("bold", `plan ${printable(plan.name)}`)}  ${plan.phase}: ${plan.summary}`,
    fact("loop", plan.loop),
    fact("made", plan.createdAt),
    ...reasons,
    ...by,
    ...(plan.note === "" ? [] : [fact("note", plan.note)]),
    fact("hash", plan.hash),
  ]
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
