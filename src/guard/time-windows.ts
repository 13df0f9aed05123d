// Maintenance windows and freezes: whether a loop may act now, and when that changes. Pure: the
// time is handed in.

import { protects } from "../base/protections.ts"
import { nextStart } from "../base/schedule.ts"
import type { TimeWindow } from "../contract/loop.ts"

export interface WindowState {
  readonly open: boolean
  /** Why not, for people. */
  readonly reason: string
  /** Wall time at which that may change; undefined when nothing is scheduled. */
  readonly until?: number
}

const always: WindowState = { open: true, reason: "" }

/** A window that can't be read is not open, and a freeze that can't be read freezes. */
export function windowState(windows: readonly TimeWindow[], now: number): WindowState {
  if (windows.length === 0 || !protects("time-window")) return always
  for (const freeze of windows.filter((one) => one.kind === "Freeze")) {
    const end = endOfRunning(freeze, now)
    if (end === "unreadable") return { open: false, reason: `freeze ${describe(freeze)}` }
    if (end !== undefined) {
      return { open: false, reason: `frozen by ${describe(freeze)}`, until: end }
    }
  }
  const opens = windows.filter((one) => one.kind === "Open")
  if (opens.length === 0) return always
  if (opens.some((one) => typeof endOfRunning(one, now) === "number")) return always
  const starts = opens.flatMap((one) => startAfter(one, now) ?? [])
  const reason = `outside its windows (${opens.map(describe).join("; ")})`
  return starts.length === 0
    ? { open: false, reason }
    : { open: false, reason, until: Math.min(...starts) }
}

const describe = ({ schedule, timeZone }: TimeWindow) => `"${schedule}" ${timeZone}`

/** When the window that is running now ends. */
function endOfRunning(window: TimeWindow, now: number): number | "unreadable" | undefined {
  const { schedule, timeZone, durationMs } = window
  try {
    let end: number | undefined
    let start = nextStart(schedule, timeZone, now - durationMs)
    for (let count = 0; start !== undefined && start <= now && count < startsMax; count++) {
      end = start + durationMs
      start = nextStart(schedule, timeZone, start)
    }
    return end !== undefined && end > now ? end : undefined
  } catch {
    return "unreadable"
  }
}

/** Overlapping starts only move the end on, and it is asked again then. Each of them costs. */
const startsMax = 20

function startAfter({ schedule, timeZone }: TimeWindow, now: number): number | undefined {
  try {
    return nextStart(schedule, timeZone, now)
  } catch {
    return undefined
  }
}
