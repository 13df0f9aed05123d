// Journal entries as text: one line each with time, who and what, then the fields with before and
// after. Intents are left out where their receipt follows; an open one is shown as such.

import type { Action, FieldChange, Verb } from "../../contract/action.ts"
import type { JournalEntry, JournalEvent } from "../../contract/journal.ts"
import { parseKeyText } from "../../object/object.ts"
import type { Style, Terminal } from "../terminal.ts"
import { bookText } from "./book-text.ts"
import { changeLines } from "./field-change.ts"
import { glassText } from "./glass-text.ts"
import { printable } from "./printable.ts"
import { returnText } from "./return-text.ts"

type ReceiptEvent = Extract<JournalEvent, { readonly type: "receipt" }>
type OwnershipEvent = Extract<JournalEvent, { readonly object: string }>
type Paints = Pick<Terminal, "paint" | "columns">

const past: Readonly<Record<Verb, string>> = {
  create: "created",
  update: "updated",
  replace: "removed the old target of",
  delete: "deleted",
  adopt: "adopted",
  loosen: "loosened",
}

export function historyLines(entries: readonly JournalEntry[], terminal: Paints): string[] {
  const answered = new Set(
    entries.flatMap(({ event }) => (event.type === "receipt" ? [event.intent] : [])),
  )
  // Who let it happen stands with the intent; the receipt is the engine's own.
  const askedBy = new Map(
    entries.flatMap(({ event, principal }) =>
      event.type === "intent" ? [[event.intent, principal] as const] : [],
    ),
  )
  return entries.flatMap((entry) => entryLines(entry, answered, askedBy, terminal))
}

function entryLines(
  entry: JournalEntry,
  answered: ReadonlySet<string>,
  askedBy: ReadonlyMap<string, string>,
  terminal: Paints,
): string[] {
  const { event, principal } = entry
  const line = (style: Style | undefined, text: string) => {
    const time = terminal.paint("dim", entry.time)
    const said = printable(text)
    return `${time}  ${printable(entry.loop)}  ${style ? terminal.paint(style, said) : said}`
  }
  const more = (text: string) => `    ${terminal.paint("dim", printable(text))}`
  switch (event.type) {
    case "intent":
      if (answered.has(event.intent)) return []
      return event.actions.map((one) => line("yellow", `is about to ${one.verb} ${nameOf(one)}`))
    case "receipt": {
      const by = askedBy.get(event.intent) ?? principal
      const [first = "", ...rest] = receiptLines(event, by)
      const style = event.result === "done" ? undefined : "red"
      const fields = event.action.changes.flatMap((change) => fieldLines(change, terminal))
      return [line(style, first), ...rest.map(more), ...fields]
    }
    case "would": {
      const title = `would do ${event.actions.length} actions (Observe)`
      return [line("cyan", title), ...wouldLines(event.actions).map(more)]
    }
    case "held": {
      const [first = "", ...reasons] = heldLines(event)
      return [line("yellow", first), ...reasons.map(more)]
    }
    case "plan":
      return [line("yellow", `plan ${event.plan} is ${event.phase}${noteText(event.note)}`)]
    case "stop":
    case "resume": {
      const why = noteText(event.reason)
      return [line("red", `${event.type} of ${event.scope} by ${principal}${why}`)]
    }
    case "break-glass":
      return [line("red", glassText(event, principal))]
    case "checkpoint":
    case "rollback":
      return [line("yellow", returnText(event, principal))]
    case "invariant": {
      const style = event.state === "Holding" ? undefined : "red"
      return [line(style, `invariant ${event.name} is ${event.state}${noteText(event.note)}`)]
    }
    case "source":
      return [line(event.state === "good" ? undefined : "yellow", sourceText(event, principal))]
    case "release":
    case "orphaned":
    case "forgotten":
    case "moved":
    case "detached": {
      const [first = "", ...rest] = ownershipLines(event, principal)
      return [line(event.type === "orphaned" ? "red" : undefined, first), ...rest.map(more)]
    }
    case "adopted":
      return [line(undefined, `took ${event.object} into the inventory: ${event.note ?? ""}`)]
    case "round":
    case "states":
    case "plane":
    case "dropped":
      return [terminal.paint("dim", line(undefined, bookText(event)))]
    default:
      return [line(undefined, event.type)]
  }
}

const noteText = (note: string | undefined): string => (note === undefined ? "" : `: ${note}`)

const wouldLines = (actions: readonly Action[]): string[] =>
  actions.slice(0, 10).map((one) => `${one.verb} ${nameOf(one)}: ${one.cause.text}`)

function heldLines(event: Extract<JournalEvent, { readonly type: "held" }>): string[] {
  const reasons = [...new Set(event.reasons.map(({ message }) => message))]
  const actions = event.count ?? event.digests.length
  const count = `${actions} action${actions === 1 ? "" : "s"}`
  return [`held ${count} as plan ${event.plan}`, ...reasons]
}

function receiptLines(event: ReceiptEvent, by: string): string[] {
  const { action, result, error } = event
  const what =
    result === "done"
      ? `${past[action.verb]} ${nameOf(action)}`
      : `${doubts[result]} ${action.verb} ${nameOf(action)}`
  const failed = error === undefined ? [] : [`result: ${result}: ${error}`]
  return [`${what} (${event.durationMs} ms)`, causeText(action, by), ...failed]
}

/** What happened to the ownership of one target, and who said why. */
function ownershipLines(event: OwnershipEvent, principal: string): string[] {
  const words: Readonly<Record<string, string>> = {
    release: "released",
    orphaned: "noticed the orphan of",
    forgotten: "forgot the orphan of",
    moved: "moved",
    detached: "detached",
  }
  const target = event.target === undefined ? "" : ` (${event.target})`
  const note = event.note === undefined ? "" : `: ${event.note}`
  const why = event.reason === undefined ? [] : [`reason: ${event.reason} (by ${principal})`]
  return [`${words[event.type] ?? event.type} ${event.object}${target}${note}`, ...why]
}

function sourceText(
  event: { state: string; revision?: string; note?: string },
  principal: string,
): string {
  const revision = event.revision === undefined ? "" : ` at revision ${event.revision.slice(0, 12)}`
  const note = event.note === undefined ? "" : `: ${event.note}`
  const by = event.state === "accepted" ? ` by ${principal}` : ""
  return `source is ${event.state}${revision}${by}${note}`
}

const doubts = { done: "", failed: "failed to", unknown: "can't say whether it could" } as const

const nameOf = (action: Action): string =>
  `${action.kind} ${parseKeyText(action.object).name} (${action.target})`

function causeText({ cause }: Action, principal: string): string {
  const who = cause.principal ?? principal
  const revision =
    cause.sourceRevision === undefined ? "" : `, revision ${cause.sourceRevision.slice(0, 12)}`
  return `cause: ${cause.kind}: ${cause.text} (by ${who}${revision})`
}

function fieldLines(change: FieldChange, terminal: Paints): string[] {
  return changeLines({ ...change, reason: whys[change.why] }, terminal)
}

const whys: Readonly<Record<FieldChange["why"], string>> = {
  requested: "declared",
  drift: "someone changed it",
  adopt: "was not ours",
  conflict: "changed there and here",
}
