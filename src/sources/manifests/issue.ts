// Issues made from the fault table, and a bounded list of them. Pure.

import type { Position, SourceIssue } from "../../contract/source.ts"
import { sourceFault } from "../faults.ts"

export type SourceCode = keyof typeof sourceFault.table

export function sourceIssue(
  code: SourceCode,
  details: Readonly<Record<string, string | number>>,
  position?: Position,
): SourceIssue {
  const fault = sourceFault(code, details)
  const issue = { code, message: fault.message, hint: fault.hint }
  return position === undefined ? issue : { ...issue, position }
}

/** At most `limit` issues; when there were more, the last one says how many. */
export function boundIssues(issues: readonly SourceIssue[], limit: number): SourceIssue[] {
  if (issues.length <= limit) return [...issues]
  const left = issues.length - limit
  return [...issues.slice(0, limit), sourceIssue("SPT-SOURCE-022", { count: left })]
}
