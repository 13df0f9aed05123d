// Journal entries as text: one line each with time, who and what, then the fields with before and
// after. Intents are left out where their receipt follows; an open one is shown as such.

import type { Action, FieldChange, Verb } from "../../contract/action.ts"
import type { JournalEntry } from "../../contract/journal.ts"
import { parseKeyText } from "../../object/object.ts"
import type { Style, Terminal } from "../terminal.ts"
import { changeLines } from "./field-change.ts"
import { printable } from "./printable.ts"

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
      const { action, result, error } = event
      const good = result === "done"
      const what = good
        ? `${past[action.verb]} ${nameOf(action)}`
        : `${doubts[result]} ${action.verb} ${nameOf(action)}`
      return [
        line(good ? undefined : "red", `${what} (${event.durationMs} ms)`),
        more(causeText(action, askedBy.get(event.intent) ?? principal)),
        ...(error === undefined ? [] : [more(`result: ${result}: ${error}`)]),
        ...action.changes.flatMap((change) => fieldLines(change, terminal)),
      ]
    }
    case "would":
      return [
        line("cyan", `would do ${event.actions.length} actions (Observe)`),
        ...event.actions
          .slice(0, 10)
          .map((one) => more(`${one.verb} ${nameOf(one)}: ${one.cause.text}`)),
      ]
    case "held": {
      const reasons = [...new Set(event.reasons.map(({ message }) => message))]
      const count = `${event.digests.length} action${event.digests.length === 1 ? "" : "s"}`
      return [line("yellow", `held ${count} as plan ${event.plan}`), ...reasons.map(more)]
    }
    case "plan": {
      const note = event.note === undefined ? "" : `: ${event.note}`
      return [line("yellow", `plan ${event.plan} is ${event.phase}${note}`)]
    }
    case "stop":
    case "resume": {
      const why = event.reason === undefined ? "" : `: ${event.reason}`
      return [line("red", `${event.type} of ${event.scope} by ${principal}${why}`)]
    }
    case "source":
      return [line(event.state === "good" ? undefined : "yellow", sourceText(event))]
    case "release":
      return [line(undefined, `released ${event.object}${event.note ? `: ${event.note}` : ""}`)]
    case "adopted":
      return [line(undefined, `took ${event.object} into the inventory: ${event.note ?? ""}`)]
    default:
      return [line(undefined, event.type)]
  }
}

function sourceText(event: { state: string; revision?: string; note?: string }): string {
  const revision = event.revision === undefined ? "" : ` at revision ${event.revision.slice(0, 12)}`
  const note = event.note === undefined ? "" : `: ${event.note}`
  return `source is ${event.state}${revision}${note}`
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
