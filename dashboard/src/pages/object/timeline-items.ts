// What happened to an object, as people read it: each act once, with its cause, who asked for it,
// the source revision, and the fields before and after. Pure.

import type { Action, FieldChange } from "../../../../src/contract/action.ts"
import type { JournalEntry, JournalEvent } from "../../../../src/contract/journal.ts"
import type { Tone } from "../../ui/badge.tsx"

export interface TimelineItem {
  readonly id: string
  readonly time: string
  readonly loop: string
  readonly sequence: number
  readonly tone: Tone
  /** One word for why: edit, drift, approval; or what kind of thing happened. */
  readonly cause: string
  readonly title: string
  readonly why?: string
  readonly by?: string
  readonly revision?: string
  readonly took?: number
  readonly notes: readonly string[]
  readonly fields: readonly FieldChange[]
}

const past: Readonly<Record<string, string>> = {
  create: "Created",
  update: "Updated",
  replace: "Removed the old target",
  delete: "Deleted",
  adopt: "Adopted",
  loosen: "Loosened",
}

/** Entries and items the newest first. */
export function timelineItems(entries: readonly JournalEntry[], object: string): TimelineItem[] {
  const answered = new Set<string>()
  const askedBy = new Map<string, string>()
  for (const { event, principal } of entries) {
    if (event.type === "receipt") answered.add(event.intent)
    if (event.type === "intent") askedBy.set(event.intent, principal)
  }
  return entries.flatMap((entry) => {
    const { loop, sequence, time } = entry
    return itemOf(entry, object, answered, askedBy).map((item, at) => {
      return { id: `${loop} ${sequence} ${at}`, time, loop, sequence, ...item }
    })
  })
}

type Told = Omit<TimelineItem, "id" | "time" | "loop" | "sequence">

function itemOf(
  { event, principal }: JournalEntry,
  object: string,
  answered: ReadonlySet<string>,
  askedBy: ReadonlyMap<string, string>,
): Told[] {
  switch (event.type) {
    case "receipt":
      return [receiptItem(event, askedBy.get(event.intent) ?? principal)]
    case "intent": {
      if (answered.has(event.intent)) return []
      const own = event.actions.filter((action) => action.object === object)
      return own.map((action) => {
        return actItem(action, `Is about to ${action.verb}`, "busy", principal)
      })
    }
    case "would": {
      const own = event.actions.filter((action) => action.object === object)
      return own.map((action) => {
        const item = actItem(action, `Would ${action.verb}`, "calm", undefined)
        return { ...item, notes: ["the loop only observes: nothing was done"] }
      })
    }
    case "states":
      return stateItems(event, object)
    case "release":
    case "adopted":
    case "orphaned":
    case "forgotten":
    case "moved":
    case "detached":
      return [ownershipItem(event, principal)]
    default:
      return []
  }
}

function actItem(action: Action, title: string, tone: Tone, by: string | undefined): Told {
  const { cause, changes } = action
  const who = cause.principal ?? by
  const notes = cause.breakGlass === undefined ? [] : [`under break-glass: ${cause.breakGlass}`]
  return {
    ...{ tone, cause: cause.kind, title, why: cause.text, notes, fields: changes },
    ...(who === undefined ? {} : { by: who }),
    ...(cause.sourceRevision === undefined ? {} : { revision: cause.sourceRevision }),
  }
}

type Receipt = Extract<JournalEvent, { readonly type: "receipt" }>

function receiptItem({ action, result, error, durationMs }: Receipt, by: string): Told {
  const doubts = { failed: "Failed to", unknown: "Can't say whether it could" } as const
  const title =
    result === "done" ? (past[action.verb] ?? action.verb) : `${doubts[result]} ${action.verb}`
  const tone = result === "done" ? toneOf(action) : result === "failed" ? "bad" : "warn"
  const item = actItem(action, title, tone, by)
  const notes = error === undefined ? item.notes : [...item.notes, error]
  return { ...item, notes, took: durationMs }
}

const toneOf = ({ verb, cause }: Action): Tone => {
  if (cause.kind === "drift" || cause.kind === "missing") return "warn"
  return verb === "delete" || verb === "replace" ? "bad" : "good"
}

type States = Extract<JournalEvent, { readonly type: "states" }>

function stateItems({ out = [], in: back, first, gone }: States, object: string): Told[] {
  const bare = { notes: [], fields: [] }
  const has = (list: readonly string[] | undefined) => list?.includes(object) === true
  const left = out.filter((one) => one.object === object)
  // One that left and came back within a second is in both; the newest comes first.
  return [
    ...(has(gone) ? [{ ...bare, ...stateItem("Let go while it was not as declared") }] : []),
    ...(has(back) ? [{ ...bare, ...stateItem("As declared again") }] : []),
    ...(has(first) ? [{ ...bare, ...stateItem("As declared for the first time") }] : []),
    ...left.map(({ reason, state, was }): Told => {
      const title = was === "new" ? "Not there yet" : "Left the declared state"
      return { tone: "warn", cause: "state", title, why: `${reason} (${state})`, ...bare }
    }),
  ]
}

const stateItem = (title: string) => ({ tone: "good", cause: "state", title }) as const

type Ownership = Extract<JournalEvent, { readonly object: string }>

function ownershipItem(event: Ownership, principal: string): Told {
  const words: Readonly<Record<string, string>> = {
    release: "Released: its target is left as it is",
    adopted: "Taken into the inventory",
    orphaned: "Its target is left over",
    forgotten: "What was left over is forgotten",
    moved: "Moved to another loop",
    detached: "Fields were given away",
  }
  const why = event.reason ?? event.note
  return {
    tone: event.type === "orphaned" ? "bad" : "calm",
    cause: event.type,
    title: words[event.type] ?? event.type,
    ...(why === undefined ? {} : { why }),
    by: principal,
    notes: event.target === undefined ? [] : [event.target],
    fields: [],
  }
}
