// What a break-glass lifts, by the codes of the reasons: limits, windows, flapping, drift and
// conflicts. Everything that is not named here stays: mode, freshness, ownership, adoption,
// protection, invariants, rejections, and whatever guard comes next. Pure.

import type { Action } from "../contract/action.ts"
import { allow, type Verdict } from "../contract/verdict.ts"

export interface BreakGlassFacts {
  readonly by: string
  readonly reason: string
  /** Ledger milliseconds. */
  readonly until: number
  readonly deletesLeft: number
}

const liftable: ReadonlySet<string> = new Set([
  "ChangeLimit",
  "Conflict",
  "DeleteLimit",
  "Drift",
  "EmptySet",
  "Flapping",
  "LastOfKind",
  "PolicyLimit",
  "Window",
])

export const breakGlassText = ({ by, reason }: Pick<BreakGlassFacts, "by" | "reason">): string =>
  `break-glass of ${by}: ${reason}`

/** `destroys`: what would be destroyed under it together; over what is left nothing is lifted. */
export function liftedBy(
  glass: BreakGlassFacts | undefined,
  verdict: Verdict,
  destroys: number,
): Verdict {
  if (glass === undefined || verdict.kind === "allow" || verdict.kind === "deny") return verdict
  if (!verdict.reasons.every((reason) => liftable.has(reason.code))) return verdict
  if (destroys > glass.deletesLeft) return verdict
  const lifted = verdict.reasons.map((reason) => reason.message).join("; ")
  const message = `${breakGlassText(glass)} (else: ${lifted})`
  return { ...allow(), reasons: [{ guard: "break-glass", code: "BreakGlass", message }] }
}

export const isLifted = ({ kind, reasons }: Verdict): boolean =>
  kind === "allow" && reasons.some((reason) => reason.code === "BreakGlass")

/** The act says under what it happens; its digest covers what is done, not why it may. */
export function underGlass(action: Action, verdict: Verdict, glass?: BreakGlassFacts): Action {
  if (glass === undefined || !isLifted(verdict)) return action
  const breakGlass = breakGlassText(glass)
  const text = `${action.cause.text}; under ${breakGlass}`
  return { ...action, cause: { ...action.cause, text, breakGlass } }
}
