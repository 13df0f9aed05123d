// The Loop object: one bounded domain with source, mode and limits; the blast-radius scope.

export type Mode = "Observe" | "Propose" | "Enforce"

export interface LoopLimits {
  readonly deletes: number
  readonly deletesPercent: number
  readonly changes: number
  /** Milliseconds. */
  readonly windowMs: number
}

export interface LoopSpec {
  readonly source?: { readonly directory?: { readonly path: string } }
  readonly mode: Mode
  readonly intervalMs: number
  readonly limits: LoopLimits
  readonly onEmpty: "Hold" | "Allow"
  readonly onDrift: "Correct" | "Report" | "Hold"
  readonly onConflict: "Hold" | "DeclaredWins" | "ObservedWins"
}

/** `default.site`: how labels, journals and plans name a loop. */
export function loopId(namespace: string, name: string): string {
  return `${namespace}.${name}`
}

export function parseLoopId(id: string): { namespace: string; name: string } {
  const dot = id.indexOf(".")
  return { namespace: id.slice(0, dot), name: id.slice(dot + 1) }
}
