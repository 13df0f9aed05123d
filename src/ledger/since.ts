// From when on somebody wants to know: a duration back from now, or a time.

import { parseDuration } from "../base/clock.ts"
import { ledgerFault } from "./faults.ts"

const timestamp = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

/** Wall milliseconds; `fallback` when nothing was said. */
export function sinceMs(text: string | null | undefined, now: number, fallback: number): number {
  if (text === null || text === undefined || text === "") return fallback
  const duration = parseDuration(text)
  const ms = duration === undefined ? parseTime(text) : now - duration
  if (ms === undefined) throw ledgerFault("SPT-LEDGER-004", { since: text.slice(0, 100) })
  return Math.max(0, ms)
}

function parseTime(text: string): number | undefined {
  const ms = timestamp.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
