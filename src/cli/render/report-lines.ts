// Reports on a loop as text: what it did or would have done, and time in and out of the declared
// state.

import { isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import { parseKeyText } from "../../object/object.ts"
import { printable } from "./printable.ts"
import { alignRows, tableLines } from "./table.ts"

export function activityLines(report: JsonObject): string[] {
  const held = isObject(report.held) ? report.held : {}
  const pending = isObject(report.pending) ? report.pending : undefined
  const mode = report.mode === undefined ? "" : ` (${String(report.mode)})`
  const sections = [
    section("would have done", actionRows(report.would)),
    section("would have kept back in mode Enforce", countRows(report.wouldKeep)),
    section("did", actionRows(report.done)),
    section("tried without success", actionRows(report.failed)),
    section("why", countRows(report.causes)),
    section(`held ${plural(held.actions, "action")} for a person`, countRows(held.reasons)),
    section("plans", tallyRows(report.plans)),
    section("source", tallyRows(report.sources)),
  ].flat()
  const head = `${text(report.loop)}${mode} from ${text(report.since)} to ${text(report.until)}`
  const waits =
    pending === undefined
      ? []
      : ["", `plan ${text(pending.name)} waits with ${plural(pending.actions, "action")}`]
  return [head, ...(sections.length === 0 ? ["", "nothing happened"] : sections), ...waits]
}

export function complianceLines(report: JsonObject, one: boolean): string[] {
  const total = isObject(report.total) ? report.total : {}
  const objects = list(report.objects)
  const down = list(report.down)
  const head = `${text(report.loop)} from ${text(report.since)} to ${text(report.until)}`
  if (objects.length === 0) return [head, "no object of this loop was looked at in that time"]
  const sum =
    `${plural(total.objects, "object")}: ${percent(total.share)} of the observed time ` +
    "as declared, " +
    `${plural(total.outages, "outage")}, the longest ${span(total.longestMs)}`
  const rows = objects.map((object) => [
    shortName(object.object),
    text(object.now ?? "gone"),
    percent(object.share),
    span(object.outMs),
    span(object.unobservedMs),
    text(object.outages),
    span(object.longestMs),
  ])
  const titles = ["object", "now", "as declared", "out", "unobserved", "outages", "longest"]
  const more = Number(total.objects ?? 0) - objects.length
  const unseen = down.map(({ from, to }) => `  no plane ran from ${text(from)} to ${text(to)}`)
  return [
    head,
    sum,
    ...unseen.slice(-10),
    "",
    ...tableLines(titles, rows),
    ...(more > 0 ? [`and ${more} more, not worse than these`] : []),
    ...(one ? outageLines(objects) : []),
  ]
}

function outageLines(objects: readonly JsonObject[]): string[] {
  const outages = objects.flatMap((object) => list(object.last))
  if (outages.length === 0) return []
  const rows = outages.map(({ from, to, state, reason }) => [
    text(from),
    to === undefined ? "now" : text(to),
    [state, reason].map(text).filter(Boolean).join(": "),
  ])
  return ["", ...tableLines(["out from", "to", "why"], rows)]
}

function section(title: string, rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  return ["", title, ...alignRows(rows).map((row) => `  ${printable(row)}`)]
}

function actionRows(value: Json | undefined): string[][] {
  return list(value).map(({ verb, kind, actions, objects, first, last }) => [
    `${text(verb)} ${text(kind)}`,
    plural(actions, "action"),
    plural(objects, "object"),
    first === last ? `at ${text(first)}` : `${text(first)} to ${text(last)}`,
  ])
}

function countRows(value: Json | undefined): string[][] {
  return list(value).map(({ name, count, example }) => [
    text(count),
    text(name),
    text(example).slice(0, 200),
  ])
}

function tallyRows(value: Json | undefined): string[][] {
  if (!isObject(value)) return []
  return Object.entries(value).map(([name, count]) => [text(count), name])
}

function list(value: Json | undefined): JsonObject[] {
  return isArray(value) ? value.filter(isObject) : []
}

const text = (value: Json | undefined): string => (value === undefined ? "" : String(value))

function plural(count: Json | undefined, what: string): string {
  const number = Number(count ?? 0)
  return `${number} ${what}${number === 1 ? "" : "s"}`
}

/** Never rounded up to all of it. */
function percent(share: Json | undefined): string {
  if (typeof share !== "number") return "-"
  const shown = Math.floor(share * 100_000) / 1000
  return `${shown === 100 ? "100" : shown.toFixed(3)} %`
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const

function span(value: Json | undefined): string {
  let rest = Math.round(Number(value ?? 0) / 1000) * 1000
  if (rest === 0) return Number(value ?? 0) > 0 ? "<1s" : "0s"
  const parts: string[] = []
  for (const [unit, ms] of units) {
    const count = Math.floor(rest / ms)
    rest -= count * ms
    if (count > 0) parts.push(`${count}${unit}`)
  }
  return parts.slice(0, 2).join("")
}

function shortName(value: Json | undefined): string {
  const { resource, namespace, name } = parseKeyText(text(value))
  return namespace === "" || namespace === "default"
    ? `${resource}/${name}`
    : `${resource}/${namespace}/${name}`
}
