// Errors that carry their consequence. There are four families: retry (may pass by itself), wait
// (for something named), stuck (someone must change something) and bug (an assertion). Every area
// keeps its own table in a file `faults.ts`; codes are forever, and docs/reference/errors.md is
// generated from the tables. Faults are recognised by their tag, never by instanceof, since two
// copies of the package may be loaded.

export type FaultKind = "retry" | "wait" | "stuck" | "bug"

export interface FaultRow {
  readonly fault: FaultKind
  /** "cannot <verb> <object>: <cause>", with {placeholders}. */
  readonly text: string
  /** What to do next. */
  readonly hint: string
  /** HTTP status when it leaves by the API. */
  readonly status?: number
  /** Kubernetes Status reason when it leaves by the API. */
  readonly reason?: string
}

export type FaultTable = Readonly<Record<string, FaultRow>>

export class Fault extends Error {
  readonly setpointFault = true
  readonly code: string
  readonly fault: FaultKind
  readonly hint: string
  readonly status: number
  readonly reason: string
  /** Machine-readable details, for example the plan that holds a request. */
  readonly details: Readonly<Record<string, string>>

  constructor(
    code: string,
    row: FaultRow,
    details: Readonly<Record<string, string>>,
    cause?: unknown,
  ) {
    const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, name) => details[name] ?? "?")
    super(fill(row.text), cause === undefined ? undefined : { cause })
    this.name = "Fault"
    this.code = code
    this.fault = row.fault
    this.hint = fill(row.hint)
    this.status = row.status ?? 500
    this.reason = row.reason ?? "InternalError"
    this.details = details
  }
}

export interface FaultMaker<Code extends string> {
  readonly table: Readonly<Record<Code, FaultRow>>
  (code: Code, details?: Readonly<Record<string, string | number>>, cause?: unknown): Fault
}

/** Declares the codes of one area and returns the function that makes their faults. */
export function defineFaults<Code extends string>(
  table: Readonly<Record<Code, FaultRow>>,
): FaultMaker<Code> {
  const make = (
    code: Code,
    details: Readonly<Record<string, string | number>> = {},
    cause?: unknown,
  ): Fault => {
    const text = Object.fromEntries(Object.entries(details).map(([k, v]) => [k, String(v)]))
    return new Fault(code, table[code], text, cause)
  }
  return Object.assign(make, { table })
}

export function isFault(error: unknown): error is Fault {
  return typeof error === "object" && error !== null && "setpointFault" in error
}

export const baseFault = defineFaults({
  "SPT-BASE-001": {
    fault: "bug",
    text: "cannot go on: {what}",
    hint: "this is a defect in Setpoint; please report it with the journal around it",
  },
  "SPT-BASE-002": {
    fault: "retry",
    text: "cannot finish: {what}",
    hint: "it is tried again with backoff; `setpoint explain` shows the last attempts",
  },
})

/** The single gate for anything thrown: unknown errors become `retry` with the cause kept. */
export function toFault(error: unknown): Fault {
  if (isFault(error)) return error
  const what = error instanceof Error ? error.message : String(error)
  return baseFault("SPT-BASE-002", { what }, error)
}

export function assert(claim: unknown, what: string): asserts claim {
  if (!claim) throw baseFault("SPT-BASE-001", { what })
}
