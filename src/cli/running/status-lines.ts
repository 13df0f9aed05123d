// The status of a plane as text for people: stops first and loudly, then each loop in a few lines
// with what needs someone and the command that helps. Pure.

import { at, isArray, isObject, type Json } from "../../base/json.ts"
import { printable } from "../render/printable.ts"
import type { Terminal } from "../terminal.ts"
import { backupLines, rollbackLines } from "./rollback-lines.ts"

export interface StatusView {
  readonly terminal: Pick<Terminal, "paint">
  readonly now: number
  /** A command as a person would type it. */
  command(words: string): string
}

const text = (value: Json | undefined): string =>
  typeof value === "string" ? printable(value) : ""
const count = (value: Json | undefined): number => (typeof value === "number" ? value : 0)
const list = (value: Json | undefined): readonly Json[] => (isArray(value) ? value : [])

export function statusLines(status: Json, view: StatusView): string[] {
  const { paint } = view.terminal
  const lines: string[] = []
  for (const stop of list(at(status, "stops"))) {
    const since = text(at(stop, "at"))
    const when = since === "" ? "" : `  (since ${since})`
    lines.push(paint("red", `STOPPED: ${text(at(stop, "text"))}${when}`))
  }
  const lifts = list(at(status, "stops")).map((stop) => text(at(stop, "resume")) || "resume")
  for (const words of new Set(lifts)) lines.push(`to go on: ${view.command(words)}`)
  for (const glass of list(at(status, "breakGlass"))) {
    lines.push(paint("red", `BREAK-GLASS: ${text(at(glass, "text"))}`))
    lines.push(`to end it: ${view.command(`break-glass --end ${text(at(glass, "loop"))}`)}`)
  }
  if (lines.length > 0) lines.push("")
  if (at(status, "restored") === true) {
    const why = "nothing is destroyed until everything was observed once"
    lines.push(paint("yellow", `RESTORED from a backup: ${why}`), "")
  }
  lines.push(`plane ${text(at(status, "plane"))}  revision ${count(at(status, "revision"))}`)
  const depth = count(at(status, "queue", "depth"))
  const calls = count(at(status, "inFlight"))
  if (depth > 0 || calls > 0) lines.push(`${depth} in the queue, ${calls} calls in flight`)
  for (const one of list(at(status, "connections"))) {
    lines.push(paint("yellow", `connection in trouble: ${JSON.stringify(one)}`))
  }
  lines.push(...backupLines(status, view))
  const loops = list(at(status, "loops"))
  const shown = loops.filter((loop) => !isIdleDefault(loop))
  for (const loop of shown) lines.push("", ...loopLines(loop, view))
  const idle = loops.length - shown.length
  if (idle > 0) lines.push("", paint("dim", `${idle} default loop${idle === 1 ? "" : "s"} empty`))
  return lines
}

/** Every namespace has a default loop; an empty one is nothing to read about. */
function isIdleDefault(loop: Json): boolean {
  return text(at(loop, "id")).endsWith(".default") && count(at(loop, "objects")) === 0
}

function loopLines(loop: Json, view: StatusView): string[] {
  const { paint } = view.terminal
  const objects = count(at(loop, "objects"))
  const converged = count(at(loop, "converged"))
  const colour = converged === objects ? "green" : "yellow"
  const name = `${paint("bold", text(at(loop, "id")))}  ${text(at(loop, "mode"))}`
  const counts = paint(colour, `${converged} of ${objects} as declared`)
  const lines = [`${name}  ${counts}${statesText(loop)}`, ...sourceLines(loop, view)]
  lines.push(...promotionLines(loop, view), ...rollbackLines(loop, view))
  const classes = countsText(at(loop, "classes"))
  if (classes !== "") lines.push(`  ${paint("dim", "why")}     ${classes}`)
  const oldest = at(loop, "oldest")
  if (isObject(oldest)) lines.push(...oldestLines(oldest, view))
  const plan = text(at(loop, "plan", "name"))
  if (plan !== "") {
    const held = count(at(loop, "plan", "actions"))
    lines.push(
      `  ${paint("yellow", "held")}    ${held} action${held === 1 ? "" : "s"} in plan ${plan}`,
      `          look: ${view.command(`plans ${plan}`)}`,
      `          then: ${view.command(`approve ${plan}`)}  or  ${view.command(`reject ${plan}`)}`,
    )
  }
  const [deletes, changes] = ["deletes", "changes"].map((name) => budgetText(loop, name))
  lines.push(`  ${paint("dim", "budget")}  deletes ${deletes}, changes ${changes} in this window`)
  const orphans = count(at(loop, "orphans"))
  if (orphans > 0) {
    const how = view.command("inventory --orphans")
    lines.push(`  ${paint("yellow", "orphans")} ${orphans} that nobody keeps any more: ${how}`)
  }
  for (const one of list(at(loop, "invariants"))) {
    const what = `invariant ${text(at(one, "name"))} is ${text(at(one, "state"))}`
    lines.push(`  ${paint("red", what)}: ${text(at(one, "message"))}`)
  }
  for (const doubt of list(at(loop, "doubts"))) {
    lines.push(`  ${paint("yellow", "doubt")}   ${text(doubt)}`)
  }
  return lines
}

const budgetText = (loop: Json, name: string): string =>
  `${count(at(loop, name, "used"))} of ${count(at(loop, name, "allowed"))}`

function statesText(loop: Json): string {
  const counts = countsText(at(loop, "states"))
  return counts === "" ? "" : `, ${counts}`
}

const countsText = (counts: Json | undefined): string =>
  Object.entries(isObject(counts) ? counts : {})
    .map(([name, n]) => `${n} ${name}`)
    .join(", ")

function sourceLines(loop: Json, { terminal }: StatusView): string[] {
  const source = at(loop, "source")
  if (!isObject(source)) return [`  ${terminal.paint("dim", "source")}  the API`]
  const state = text(source.state)
  const from = text(at(loop, "sourceDescription"))
  const name = `  ${terminal.paint("dim", "source")}  ${from}: `
  if (state === "good") {
    return [
      `${name}${count(source.objects)} objects, revision ${text(source.revision).slice(0, 12)}`,
      ...commitLines(source.commit),
      ...keptLines(source.kept),
    ]
  }
  if (state === "reading") return [`${name}being read`]
  const lines = [`${name}${terminal.paint("red", state)}; the last good revision stays in force`]
  for (const issue of list(source.issues)) lines.push(`          ${text(issue)}`)
  if (text(source.hint) !== "") lines.push(`          hint: ${text(source.hint)}`)
  return lines
}

function promotionLines(loop: Json, { terminal }: StatusView): string[] {
  const promotion = at(loop, "promotion")
  if (!isObject(promotion)) return []
  const refused = text(promotion.state) === "refused"
  const word = terminal.paint(refused ? "red" : "dim", refused ? "not promoted" : "promoted")
  return [`  ${word} ${text(promotion.message)}`]
}

/** What a commit says of itself is anybody's text. */
function commitLines(commit: Json | undefined): string[] {
  if (!isObject(commit)) return []
  const [ref, name] = [text(commit.ref), text(commit.name)]
  const what = ref.endsWith(` ${name}`) || ref.startsWith("commit ") ? ref : `${ref}, now ${name}`
  const signer = text(commit.signer)
  const lines = [
    `${what}: "${text(commit.subject)}" by ${text(commit.author)}, ${text(commit.time)}`,
  ]
  if (signer !== "") lines.push(`signed by ${signer}`)
  return lines.map((line) => `          ${line}`)
}

function keptLines(kept: Json | undefined): string[] {
  if (!isObject(kept)) return []
  const what = `${count(kept.objects)} more that it no longer declares: their delete is denied`
  return [what, text(kept.why)].map((line) => `          ${line}`)
}

function oldestLines(oldest: Json, { terminal, now }: StatusView): string[] {
  const since = Date.parse(text(at(oldest, "since")))
  const age = Number.isNaN(since) ? "" : `, for ${ageText(now - since)}`
  const state = `${text(at(oldest, "state"))}/${text(at(oldest, "reason"))}${age}`
  return [
    `  ${terminal.paint("dim", "oldest")}  ${text(at(oldest, "object"))} (${state})`,
    `          ${text(at(oldest, "message"))}`,
    ...(text(at(oldest, "next")) === "" ? [] : [`          next: ${text(at(oldest, "next"))}`]),
  ]
}

export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}
