// A guard's answer. The strictest verdict wins and all reasons are kept; no verdict means deny.

export type VerdictKind = "allow" | "wait" | "hold" | "deny"

export interface Reason {
  readonly guard: string
  /** Stable CamelCase word for conditions and metrics, for example "DeleteLimit". */
  readonly code: string
  readonly message: string
  readonly hint?: string
}

export interface Verdict {
  readonly kind: VerdictKind
  readonly reasons: readonly Reason[]
}

const strictness: readonly VerdictKind[] = ["allow", "wait", "hold", "deny"]

export function strictest(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.length === 0) {
    const reason = { guard: "none", code: "NoVerdict", message: "no guard gave a verdict" }
    return { kind: "deny", reasons: [reason] }
  }
  const rank = Math.max(...verdicts.map((verdict) => strictness.indexOf(verdict.kind)))
  const kind = strictness[rank] ?? "deny"
  return { kind, reasons: verdicts.flatMap((verdict) => verdict.reasons) }
}

export const allow = (): Verdict => ({ kind: "allow", reasons: [] })
