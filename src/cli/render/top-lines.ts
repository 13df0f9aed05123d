// One frame of `setpoint top`: the plane in a line, then a row for each loop, those with work
// first. Pure.

import { at, isArray, isObject, type Json } from "../../base/json.ts"
import type { Terminal } from "../terminal.ts"
import { printable } from "./printable.ts"
import { tableLines } from "./table.ts"

/** Rates are over so long. */
const rateSeconds = 60

const list = (value: Json | undefined): readonly Json[] => (isArray(value) ? value : [])
const count = (value: Json | undefined): number => (typeof value === "number" ? value : 0)

export function topLines(
  series: Json,
  status: Json,
  { paint }: Pick<Terminal, "paint">,
  only?: string,
): readonly string[] {
  const stops = list(at(status, "stops")).map((stop) => printable(String(at(stop, "text") ?? "")))
  const open = list(at(series, "breakers")).filter((one) => at(one, "state") !== "closed")
  const breakers = open.map((one) => {
    return `${printable(String(at(one, "connection")))} is ${String(at(one, "state"))}`
  })
  const loops = list(at(status, "loops"))
  const charted = new Map(list(at(series, "loops")).map((one) => [at(one, "loop"), one]))
  const shown = loops.filter((loop) => only === undefined || at(loop, "id") === only)
  const now = count(at(series, "now"))
  const rows = shown
    .map((loop) => ({ loop, row: loopRow(loop, charted.get(at(loop, "id")) ?? {}, now) }))
    .filter(({ loop }) => only !== undefined || !isIdleDefault(loop))
    .sort((left, right) => openOf(right.loop) - openOf(left.loop))
    .map(({ row }) => row)
  return [
    ...stops.map((text) => paint("red", `STOPPED: ${text}`)),
    ...breakers.map((text) => paint("yellow", `breaker of ${text}`)),
    planeLine(status),
    "",
    ...tableLines([...head], rows),
  ]
}

const head = [
  ...["loop", "mode", "objects", "ok", "held", "oldest", "acts/min", "failed/min", "drift/min"],
  ...["converge", "deletes", "changes"],
]

function planeLine(status: Json): string {
  const seconds = count(at(status, "queue", "oldestMs")) / 1000
  const depth = count(at(status, "queue", "depth"))
  const waits = depth === 0 ? "" : ` (oldest ${spanText(seconds)})`
  const flight = count(at(status, "inFlight"))
  return `queue ${depth}${waits}   acting ${flight}   revision ${count(at(status, "revision"))}`
}

function loopRow(loop: Json, chart: Json, now: number): string[] {
  const times = list(at(chart, "times"))
  const column = (name: string) => {
    const values = list(at(chart, "columns", name))
    return values.filter((_, index) => count(times[index]) > now - rateSeconds).map(count)
  }
  const sum = (...names: string[]) => names.flatMap(column).reduce((all, value) => all + value, 0)
  const rate = (...names: string[]) => (times.length === 0 ? "-" : String(sum(...names)))
  const journeys = sum("journeys")
  const seconds = column("convergeSeconds")
  const each = column("journeys")
  const whole = seconds.reduce((all, value, index) => all + value * (each[index] ?? 0), 0)
  const left = (name: string) => {
    const [used, allowed] = [count(at(loop, name, "used")), count(at(loop, name, "allowed"))]
    return `${used} of ${allowed}`
  }
  const oldest = Date.parse(String(at(loop, "oldest", "since") ?? ""))
  return [
    String(at(loop, "id") ?? ""),
    String(at(loop, "mode") ?? ""),
    String(count(at(loop, "objects"))),
    String(count(at(loop, "converged"))),
    String(count(at(loop, "plan", "actions"))),
    Number.isNaN(oldest) ? "-" : spanText(now - oldest / 1000),
    rate("creates", "updates", "replaces", "deletes"),
    rate("failures"),
    rate("drift"),
    journeys === 0 ? "-" : spanText(whole / journeys),
    left("deletes"),
    left("changes"),
  ]
}

const openOf = (loop: Json): number => count(at(loop, "objects")) - count(at(loop, "converged"))

/** Every namespace has a default loop; an empty one is nothing to look at. */
function isIdleDefault(loop: Json): boolean {
  const id = isObject(loop) ? String(loop.id) : ""
  return id.endsWith(".default") && count(at(loop, "objects")) === 0
}

function spanText(seconds: number): string {
  if (seconds < 1) return `${Math.max(0, Math.round(seconds * 1000))}ms`
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 1 : 0)}s`
  if (seconds < 7200) return `${Math.round(seconds / 60)}m`
  return `${Math.round(seconds / 3600)}h`
}
