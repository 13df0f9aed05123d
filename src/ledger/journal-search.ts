// Searching a journal: which entries somebody asked for, and reading from the newest back. Pure but
// for the reads; it never writes and never reads more than its caller takes.

import { jsonText } from "../base/json-text.ts"
import type { Action } from "../contract/action.ts"
import type { JournalEntry, JournalEvent } from "../contract/journal.ts"
import type { Store } from "../contract/store.ts"
import { readHead } from "./journal.ts"
import { decodeDocument, ledgerKeys } from "./keys.ts"

/** What an entry has to be; an empty text asks for nothing. */
export interface JournalWanted {
  /** A part of the object's key, or of its target. */
  readonly object: string
  readonly verb: string
  readonly type: string
  readonly cause: string
  readonly principal: string
  /** The start of a source revision. */
  readonly revision: string
  /** Anywhere in the entry. */
  readonly text: string
  readonly sinceMs: number
  readonly untilMs: number
}

export function isWanted(entry: JournalEntry, wanted: JournalWanted): boolean {
  const { event } = entry
  const time = Date.parse(entry.time)
  if (time < wanted.sinceMs || time > wanted.untilMs) return false
  if (wanted.type !== "" && event.type !== wanted.type) return false
  if (!matchesAction(event, wanted)) return false
  if (wanted.principal !== "" && !peopleOf(entry).some((name) => has(name, wanted.principal))) {
    return false
  }
  if (wanted.revision !== "" && !revisionsOf(entry).some(startsWith(wanted.revision))) return false
  return wanted.text === "" || has(textOf(entry), wanted.text)
}

/** Object, verb and cause have to be those of one and the same action. */
function matchesAction(event: JournalEvent, { object, verb, cause }: JournalWanted): boolean {
  if (object === "" && verb === "" && cause === "") return true
  if (verb === "" && cause === "" && objectsOf(event).some((one) => has(one, object))) return true
  return actionsOf(event).some(
    (action) =>
      (object === "" || has(action.object, object) || has(action.target ?? "", object)) &&
      (verb === "" || action.verb === verb) &&
      (cause === "" || action.cause?.kind === cause),
  )
}

type AnyAction = Pick<Action, "object" | "verb"> & Partial<Pick<Action, "target" | "cause">>

export function actionsOf(event: JournalEvent): readonly AnyAction[] {
  switch (event.type) {
    case "intent":
    case "would":
      return event.actions
    case "receipt":
      return [event.action]
    case "round":
      return event.inputs.actions
    default:
      return []
  }
}

function objectsOf(event: JournalEvent): readonly string[] {
  switch (event.type) {
    case "release":
    case "adopted":
    case "orphaned":
    case "forgotten":
    case "moved":
    case "detached":
      return [event.object, event.target ?? ""]
    case "states": {
      const out = event.out?.map((one) => one.object) ?? []
      return [...out, ...(event.in ?? []), ...(event.first ?? []), ...(event.gone ?? [])]
    }
    case "loosened":
      return [event.subject]
    default:
      return []
  }
}

function peopleOf({ principal, event }: JournalEntry): readonly string[] {
  const causes = actionsOf(event).flatMap(({ cause }) => (cause === undefined ? [] : [cause]))
  return [principal, ...causes.flatMap((one) => [one.principal ?? "", ...(one.authors ?? [])])]
}

/** Those that it is about, and at the end the one that was in force. */
export function revisionsOf({ event, revision }: JournalEntry): readonly string[] {
  const own = "revision" in event && event.revision !== undefined ? [event.revision] : []
  const causes = actionsOf(event).flatMap(({ cause }) => cause?.sourceRevision ?? [])
  return [...own, ...causes, ...(revision === undefined ? [] : [revision])]
}

const has = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase())

const startsWith = (start: string) => (text: string) => text.startsWith(start)

const textOf = ({ principal, loop, event }: JournalEntry): string =>
  `${principal} ${loop} ${jsonText(event)}`

/** From the newest, or from before this sequence, to the oldest that is kept. */
export async function* readJournalBackwards(
  store: Store,
  loop: string,
  before = Number.POSITIVE_INFINITY,
  atOnce = 500,
): AsyncGenerator<JournalEntry> {
  const head = await readHead(store, loop)
  if (head === undefined) return
  const oldest = head.keptFrom ?? 1
  let last = Math.min(head.sequence, before - 1)
  while (last >= oldest) {
    const from = Math.max(oldest - 1, last - atOnce)
    const page = await store.range({
      prefix: ledgerKeys.journal(loop),
      after: ledgerKeys.journalEntry(loop, from),
      limit: last - from,
    })
    if (page.kind === "compacted") return // Only reads of the past are; this one is of now.
    for (const { value } of page.entries.toReversed()) yield decodeDocument<JournalEntry>(value)
    last = from
  }
}
