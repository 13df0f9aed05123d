// A file of /etc/cron.d as text and back. Comments are nobody's; a line that is no job and no
// variable comes back as a job that no object can declare, so that it shows as a difference.

import type { JsonObject } from "../../base/json.ts"
import { scheduleProblem } from "./cron-schedule.ts"

export interface CronJob extends JsonObject {
  readonly schedule: string
  readonly user: string
  readonly command: string
}

export interface CronTable extends JsonObject {
  readonly environment: Readonly<Record<string, string>>
  readonly jobs: readonly CronJob[]
}

const header = "# Kept by Setpoint: changes made here are undone.\n"

export function cronText({ environment, jobs }: Pick<CronTable, "environment" | "jobs">): string {
  const names = Object.keys(environment).sort()
  const variables = names.map((name) => `${name}="${environment[name]}"\n`)
  const lines = jobs.map(({ schedule, user, command }) => `${schedule} ${user} ${command}\n`)
  return [header, ...variables, ...lines].join("")
}

export function readCron(text: string): CronTable {
  const environment: Record<string, string> = {}
  const jobs: CronJob[] = []
  for (const raw of text.split("\n")) {
    const line = raw.trim()
    if (line === "" || line.startsWith("#")) continue
    const variable = /^([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/.exec(line)
    if (variable !== null) {
      environment[variable[1] ?? ""] = unquoted(variable[2] ?? "")
      continue
    }
    jobs.push(readJob(line) ?? { schedule: "?", user: "?", command: line })
  }
  return { environment, jobs }
}

function readJob(line: string): CronJob | undefined {
  const match = /^(@\S+|(?:\S+\s+){4}\S+)\s+(\S+)\s+(.+)$/.exec(line)
  const [, when = "", user = "", command = ""] = match ?? []
  const schedule = when.replaceAll(/\s+/g, " ")
  if (match === null || scheduleProblem(schedule) !== undefined) return undefined
  return { schedule, user, command }
}

function unquoted(value: string): string {
  const match = /^(["'])(.*)\1$/.exec(value)
  return match?.[2] ?? value
}
