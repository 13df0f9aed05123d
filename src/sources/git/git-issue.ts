// Issues made from the table of git faults. Pure.

import { type Fault, toFault } from "../../base/faults.ts"
import type { Position, SourceIssue } from "../../contract/source.ts"
import { gitFault } from "./faults.ts"

export type GitCode = keyof typeof gitFault.table

export function gitIssue(
  code: GitCode,
  details: Readonly<Record<string, string | number>>,
  position?: Position,
): SourceIssue {
  const issue = issueOf(gitFault(code, details))
  return position === undefined ? issue : { ...issue, position }
}

export function issueOf(error: unknown): SourceIssue {
  const { code, message, hint }: Fault = toFault(error)
  return { code, message, hint }
}
