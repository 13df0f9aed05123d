// Cron schedules in time zones, asked with a time that is handed in: no clock and no timer of its
// own. An instant is an instant, so a night with two two-o'clocks has one start, at the first.

import { Cron } from "croner"

/** What is wrong with a schedule or its zone; undefined when both can be used. */
export function scheduleIssue(schedule: string, timeZone: string): string | undefined {
  if (schedule.trim().split(/\s+/).length !== 5) return "must have five fields, as cron has"
  try {
    new Intl.DateTimeFormat("en", { timeZone })
  } catch {
    return `time zone ${timeZone} is not known`
  }
  try {
    const next = nextStart(schedule, timeZone, 0)
    return next === undefined ? "never happens" : undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The first start after an instant; throws when the schedule can't be read. */
export function nextStart(schedule: string, timeZone: string, after: number): number | undefined {
  return cronOf(schedule, timeZone).nextRun(new Date(after))?.getTime()
}

const parsed = new Map<string, Cron>()

function cronOf(schedule: string, timeZone: string): Cron {
  const key = `${timeZone} ${schedule}`
  const known = parsed.get(key)
  if (known !== undefined) return known
  if (parsed.size > 1000) parsed.clear()
  const cron = new Cron(schedule, { timezone: timeZone, paused: true, mode: "5-part" })
  parsed.set(key, cron)
  return cron
}
