// A preview as a comment for a pull request: what would change, field by field, and what the guards
// say. Whatever stands in the manifests is shown as text: it makes no links, calls nobody and can't
// break out of its cell. Bounded, since a comment may only be so long.

import type { FieldChange } from "../../contract/action.ts"
import type { LoopPreview, PreviewAction, PreviewNote } from "../../plane/preview-view.ts"
import { summaryText } from "./preview-text.ts"
import { printable } from "./printable.ts"

export interface MarkdownHead {
  /** What was asked for: a branch, a tag, a commit. */
  readonly ref?: string
  readonly commit?: string
}

/** Below what the usual servers take. */
const charactersMax = 60_000
const valueMax = 120
const rowsMax = 50

export function previewMarkdown(loops: readonly LoopPreview[], head: MarkdownHead): string {
  const lines = [titleOf(head), "", `**${summaryText(loops)}**`]
  for (const loop of loops) {
    if (loop.actions.length > 0 || loop.notes.length > 0) lines.push("", ...loopLines(loop))
  }
  return bounded(lines)
}

function titleOf({ ref, commit }: MarkdownHead): string {
  const what = [ref, commit?.slice(0, 12)].filter((one) => one !== undefined)
  const [first, second] = [...new Set(what)]
  const of = first === undefined ? "" : ` of ${code(first)}`
  return `### Setpoint plan${of}${second === undefined ? "" : ` (${code(second)})`}`
}

function loopLines(loop: LoopPreview): string[] {
  const from = loop.source === undefined ? "" : `, ${code(loop.source)}`
  const shown = loop.actions.slice(0, rowsMax)
  const left = loop.actions.length - shown.length
  return [
    `#### Loop ${code(loop.id)}: ${loop.mode}${from}`,
    ...(shown.length === 0 ? [] : ["", ...tableLines(shown)]),
    ...(left > 0 ? ["", `…and ${left} more.`] : []),
    ...reasonLines(loop.actions),
    ...(loop.notes.length === 0 ? [] : ["", ...loop.notes.slice(0, rowsMax).map(noteLine)]),
  ]
}

function tableLines(actions: readonly PreviewAction[]): string[] {
  const head = ["| | object | field | before | after | verdict |", "|---|---|---|---|---|---|"]
  return [...head, ...actions.flatMap(actionRows)]
}

const symbols = { create: "➕", update: "✏️", replace: "♻️", delete: "❌", adopt: "🤝", loosen: "🔓" }
const verdicts = { run: "", wait: "waits", hold: "**held**", deny: "refused", stopped: "stopped" }

function actionRows(action: PreviewAction): string[] {
  const { verb, kind, name, target, verdict, changes, cause } = action
  const subject = `${symbols[verb]} ${verb} | ${code(`${kind} ${name}`)}<br>${code(target)}`
  const fate = verdicts[verdict]
  const whole = changes.length === 0 || verb === "create" || verb === "delete"
  if (whole) return [`| ${subject} | | | ${code(cause)} | ${fate} |`]
  return changes.slice(0, rowsMax).map((change, index) => {
    const first = index === 0 ? subject : " | "
    const { path } = change
    const cells = [first, code(path), value(change, "before"), value(change, "after")]
    return `| ${cells.join(" | ")} | ${index === 0 ? fate : ""} |`
  })
}

function value(change: FieldChange, side: "before" | "after"): string {
  const given = change[side]
  if (given === undefined) return ""
  return code(typeof given === "string" ? given : JSON.stringify(given, bigintText))
}

const bigintText = (_key: string, one: unknown) => (typeof one === "bigint" ? String(one) : one)

function reasonLines(actions: readonly PreviewAction[]): string[] {
  const reasons = new Map<string, { message: string; hint: string | undefined; count: number }>()
  for (const { verdict, reasons: given } of actions) {
    if (verdict === "run") continue
    for (const { message, hint } of given) {
      const known = reasons.get(message)
      if (known === undefined) reasons.set(message, { message, hint, count: 1 })
      else known.count++
    }
  }
  const lines = [...reasons.values()].slice(0, rowsMax).map(({ message, hint, count }) => {
    return `- ${count}: ${code(message)}${hint === undefined ? "" : `; ${code(hint)}`}`
  })
  return lines.length === 0 ? [] : ["", "Kept back:", "", ...lines]
}

function noteLine({ kind, object, state, message }: PreviewNote): string {
  const name = object.slice(object.lastIndexOf("/") + 1)
  return `- ${state}: ${code(`${kind} ${name}`)}: ${code(message)}`
}

/** Text that can't be anything else: in a code span whose fence is longer than any in it. */
export function code(text: string): string {
  const line = printable(text).replaceAll(/\s+/g, " ").trim()
  const short = line.length > valueMax ? `${line.slice(0, valueMax)}…` : line
  if (short === "") return ""
  const runs = short.match(/`+/g) ?? []
  const fence = "`".repeat(1 + Math.max(0, ...runs.map((run) => run.length)))
  const padded = short.startsWith("`") || short.endsWith("`") ? ` ${short} ` : short
  return `${fence}${padded.replaceAll("|", "\\|")}${fence}`
}

function bounded(lines: readonly string[]): string {
  let length = 0
  const kept: string[] = []
  for (const line of lines) {
    length += line.length + 1
    if (length > charactersMax) {
      kept.push(
        "",
        `…and ${lines.length - kept.length} more lines; \`--output json\` has them all.`,
      )
      break
    }
    kept.push(line)
  }
  return kept.join("\n")
}
