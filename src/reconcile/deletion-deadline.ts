// A marked object that is still there when its loop's deadline is over needs someone: whatever
// keeps it, it is told as stalled. It is tried on as before; a deadline never destroys or lets go.

import { protects } from "../base/protections.ts"
import type { ApiObject } from "../object/object.ts"
import type { Report } from "./status.ts"

/** How long a marked object may still take; undefined when it is not marked. */
export function deletionLeftMs(
  object: ApiObject,
  deadlineMs: number,
  now: number,
): number | undefined {
  const marked = Date.parse(object.metadata.deletionTimestamp ?? "")
  return Number.isNaN(marked) ? undefined : marked + deadlineMs - now
}

export function isOverdue(object: ApiObject, deadlineMs: number, now: number): boolean {
  if (!protects("deletion-deadline")) return false
  const left = deletionLeftMs(object, deadlineMs, now)
  return left !== undefined && left <= 0
}

export function overdueReport(report: Report): Report {
  const message = `it was deleted long ago and is still there: ${report.message}`
  return { ...report, state: "stuck", reason: "DeletionOverdue", message }
}
