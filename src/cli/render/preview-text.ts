// A preview as a person reads it: a block per action like a good diff, then what is held and why,
// then one line that sums it up.

import { stopText } from "../../contract/stop.ts"
import type { Reason } from "../../contract/verdict.ts"
import type { LoopPreview, PreviewAction, PreviewNote } from "../../plane/preview-view.ts"
import type { Style, Terminal } from "../terminal.ts"
import { changeLines } from "./field-change.ts"
import { printable } from "./printable.ts"

type Paints = Pick<Terminal, "paint" | "columns">

export const verbSymbols = {
  create: "+",
  update: "~",
  replace: "±",
  delete: "-",
  adopt: "=",
  loosen: "!",
} as const

export const verbStyles: Readonly<Record<PreviewAction["verb"], Style>> = {
  create: "green",
  update: "yellow",
  replace: "yellow",
  delete: "red",
  adopt: "cyan",
  loosen: "yellow",
}

export function previewLines(loops: readonly LoopPreview[], terminal: Paints): string[] {
  const lines: string[] = []
  for (const loop of loops) {
    if (loop.actions.length === 0 && loop.notes.length === 0) continue
    lines.push(...loopLines(loop, terminal), "")
  }
  return [...lines, ...stopLines(loops, terminal), summaryText(loops)]
}

function loopLines(loop: LoopPreview, terminal: Paints): string[] {
  const from = loop.source === undefined ? "by API" : printable(loop.source)
  const head = `${terminal.paint("bold", `loop ${printable(loop.id)}`)}  ${loop.mode}, ${from}`
  const blocks = loop.actions.flatMap((action, index) => {
    const lines = actionLines(action, terminal)
    const before = loop.actions[index - 1]
    const short = lines.length === 1 && before?.changes.length === 0 && before.verb === action.verb
    return short ? lines : ["", ...lines]
  })
  const notes = loop.notes.map((note) => noteLine(note, terminal))
  return [
    head,
    ...blocks,
    ...(notes.length === 0 ? [] : ["", ...notes]),
    ...reasonLines(loop.actions, terminal),
  ]
}

function actionLines(action: PreviewAction, terminal: Paints): string[] {
  const { verb, kind, name, target, verdict, cause } = action
  const style = verbStyles[verb]
  const symbol = terminal.paint(style, verbSymbols[verb])
  const subject = terminal.paint("bold", printable(`${kind} ${name}`))
  const fate = verdict === "run" ? "" : `  ${terminal.paint("yellow", `[${fates[verdict]}]`)}`
  const said = action.changes.length > 0 && verb !== "replace" ? "" : `  # ${printable(cause)}`
  const head = `${symbol} ${verb} ${subject}  ${printable(target)}${fate}`
  const changes = action.changes.flatMap((change) => changeLines(change, terminal))
  return [`${head}${said === "" ? "" : terminal.paint("dim", said)}`, ...changes]
}

const fates = { wait: "waits", hold: "held", deny: "refused", stopped: "stopped" } as const

const noteSymbols: Readonly<Record<PreviewNote["state"], string>> = {
  unknown: "?",
  stuck: "!",
  waiting: "…",
  conflict: "!",
  release: "·",
  take: "=",
  reported: "·",
  data: "+",
}

function noteLine({ kind, object, target, state, message }: PreviewNote, terminal: Paints): string {
  const name = object.slice(object.lastIndexOf("/") + 1)
  const place = target === undefined ? "" : `  ${printable(target)}`
  const doubt = state === "unknown" || state === "stuck" || state === "conflict"
  const symbol = doubt ? terminal.paint("yellow", noteSymbols[state]) : noteSymbols[state]
  return `${symbol} ${printable(`${kind} ${name}`)}${place}: ${printable(message)}`
}

/** Each reason once, with how many actions it concerns and what to do about it. */
function reasonLines(actions: readonly PreviewAction[], terminal: Paints): string[] {
  const groups = new Map<string, { reason: Reason; fate: string; count: number; plan?: string }>()
  for (const { verdict, reasons, plan } of actions) {
    if (verdict === "run") continue
    for (const reason of reasons) {
      const key = `${verdict} ${reason.code} ${reason.message}`
      const known = groups.get(key)
      if (known !== undefined) known.count++
      else {
        const group = { reason, fate: fates[verdict], count: 1 }
        groups.set(key, plan === undefined ? group : { ...group, plan })
      }
    }
  }
  return [...groups.values()].flatMap(({ reason, fate, count, plan }) => {
    const head = terminal.paint("yellow", `${count} ${fate}:`)
    const lines = ["", `${head} ${printable(reason.message)} [${reason.code}]`]
    if (plan !== undefined) lines.push(`  plan:  ${plan} (setpoint plans ${plan})`)
    if (reason.hint !== undefined) lines.push(`  hint:  ${printable(reason.hint)}`)
    return lines
  })
}

function stopLines(loops: readonly LoopPreview[], terminal: Paints): string[] {
  const stops = new Map(
    loops.flatMap((loop) => loop.stops).map((one) => [JSON.stringify(one), one]),
  )
  return [...stops.values()].map((stop) => terminal.paint("yellow", printable(stopText(stop))))
}

const verbs = ["create", "update", "replace", "delete", "adopt"] as const

export interface PreviewSummary {
  readonly differences: number
  readonly held: number
  /** Objects of which it can't be told. */
  readonly doubts: number
  readonly asDeclared: number
  readonly objects: number
  readonly counts: Readonly<Record<(typeof verbs)[number], number>>
}

const doubtful: ReadonlySet<PreviewNote["state"]> = new Set(["unknown", "stuck", "conflict"])

export function summarizePreview(loops: readonly LoopPreview[]): PreviewSummary {
  const actions = loops.flatMap((loop) => loop.actions)
  const notes = loops.flatMap((loop) => loop.notes)
  const counts = { create: 0, update: 0, replace: 0, delete: 0, adopt: 0, loosen: 0 }
  for (const action of actions) counts[action.verb]++
  const sum = (pick: (loop: LoopPreview) => number) =>
    loops.reduce((total, loop) => total + pick(loop), 0)
  return {
    differences: actions.length + notes.filter(({ state }) => state === "data").length,
    held: actions.filter(({ verdict }) => verdict === "hold").length,
    doubts: notes.filter(({ state }) => doubtful.has(state) || state === "waiting").length,
    asDeclared: sum((loop) => loop.asDeclared),
    objects: sum((loop) => loop.objects),
    counts,
  }
}

export function summaryText(loops: readonly LoopPreview[]): string {
  const { differences, held, doubts, asDeclared, objects, counts } = summarizePreview(loops)
  const actions = loops.flatMap((loop) => loop.actions)
  const count = (verdict: string) => actions.filter((one) => one.verdict === verdict).length
  if (differences === 0 && doubts === 0) {
    return `nothing to do: ${asDeclared} of ${objects} objects are as declared`
  }
  const parts = verbs.filter((verb) => counts[verb] > 0).map((verb) => `${counts[verb]} to ${verb}`)
  const stored = differences - actions.length
  if (stored > 0) parts.push(`${stored} to store`)
  if (doubts > 0) parts.push(`${doubts} that can't be told`)
  const fate = [
    ...(held > 0 ? [`${held} held`] : []),
    ...(count("wait") > 0 ? [`${count("wait")} waiting`] : []),
    ...(count("deny") > 0 ? [`${count("deny")} refused`] : []),
    ...(count("stopped") > 0 ? [`${count("stopped")} stopped`] : []),
  ]
  const judged = fate.length === 0 ? "" : ` (${fate.join(", ")})`
  return `plan: ${parts.join(", ")}${judged}; ${asDeclared} as declared`
}
