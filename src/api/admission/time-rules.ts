// Durations and schedules as people write them: what is wrong with one, by field.

import { parseDuration } from "../../base/clock.ts"
import { isArray, isObject, type Json } from "../../base/json.ts"
import { scheduleIssue } from "../../base/schedule.ts"
import type { FieldCause } from "../faults.ts"

const durationMaxMs = 366 * 86_400_000

export function durationCauses(field: string, text: Json | undefined): FieldCause[] {
  const ms = typeof text === "string" ? parseDuration(text) : undefined
  if (ms !== undefined && ms > 0 && ms <= durationMaxMs) return []
  const message = 'must be a duration above 0 such as "5m" or "1h30m", at most a year'
  return [{ field, reason: "FieldValueInvalid", message }]
}

export function windowCauses(field: string, windows: Json | undefined): FieldCause[] {
  if (!isArray(windows)) return []
  return windows.flatMap((window, index): FieldCause[] => {
    if (!isObject(window)) return []
    const { schedule, timeZone = "UTC", duration } = window
    const place = `${field}[${index}]`
    const issue = scheduleIssue(String(schedule ?? ""), String(timeZone))
    const causes = durationCauses(`${place}.duration`, duration)
    if (issue === undefined) return causes
    const message = `${issue}: "${schedule}" ${timeZone}`
    return [...causes, { field: `${place}.schedule`, reason: "FieldValueInvalid", message }]
  })
}
