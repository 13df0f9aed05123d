// One changed field as lines of text: short values on one line, texts of several lines as a diff,
// each with its reason.

import { isObject, type Json } from "../../base/json.ts"
import { jsonText } from "../../base/json-text.ts"
import type { Terminal } from "../terminal.ts"
import { lineDiff } from "./line-diff.ts"
import { printable, shorten } from "./printable.ts"

export interface ShownChange {
  readonly path: string
  readonly before?: Json
  readonly after?: Json
  readonly reason?: string
}

const reasonColumn = 48
const valueMax = 60

type Paints = Pick<Terminal, "paint" | "columns">

export function changeLines(change: ShownChange, terminal: Paints, indent = "    "): string[] {
  const { before, after } = change
  const path = printable(change.path)
  const reason = change.reason === undefined ? "" : printable(change.reason)
  if (isLong(before) || isLong(after)) {
    const head = withReason(`${indent}${mark(change)} ${path}:`, reason, terminal)
    const diff = lineDiff(asText(before), asText(after))
    const width = Math.max(20, terminal.columns - indent.length - 6)
    const lines = diff.map(({ mark: sign, text }) => {
      const line = `${indent}    ${sign} ${shorten(printable(text), width)}`
      if (sign === "+") return terminal.paint("green", line)
      if (sign === "-") return terminal.paint("red", line)
      return terminal.paint("dim", line)
    })
    return [head, ...lines]
  }
  const text =
    before === undefined
      ? valueText(after)
      : after === undefined
        ? valueText(before)
        : `${valueText(before)} -> ${valueText(after)}`
  return [withReason(`${indent}${mark(change)} ${path}: ${text}`, reason, terminal)]
}

function mark({ before, after }: ShownChange): string {
  if (before === undefined) return "+"
  return after === undefined ? "-" : "~"
}

function withReason(line: string, reason: string, terminal: Paints): string {
  if (reason === "") return line
  return `${line.padEnd(reasonColumn)}  ${terminal.paint("dim", `# ${reason}`)}`
}

/** More than fits on a line, or several lines. */
function isLong(value: Json | undefined): boolean {
  return typeof value === "string" && (value.length > valueMax || /\n./s.test(value))
}

function asText(value: Json | undefined): string {
  if (value === undefined) return ""
  return typeof value === "string" ? value : `${valueText(value)}\n`
}

/** A value on one line; what is recorded as a hash says so instead of pretending to be a value. */
export function valueText(value: Json | undefined): string {
  if (value === undefined) return "(none)"
  if (isObject(value) && typeof value.$hash === "string") {
    const [kind = "", ...rest] = value.$hash.split(":")
    const hash = rest.at(-1)?.slice(0, 12) ?? ""
    const what = kind === "hmac" ? "secret" : kind
    return `(${what} ${hash}, ${String(value.$length)} characters)`
  }
  return shorten(printable(jsonText(value)), valueMax * 2)
}
