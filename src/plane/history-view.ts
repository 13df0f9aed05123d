// What happened, newest last: the journal of one object, one loop, or everything.

import type { JournalEntry, JournalEvent } from "../contract/journal.ts"
import { readJournal } from "../ledger/journal.ts"
import type { Plane } from "./plane.ts"

const entriesMax = 10_000

export async function historyOf(plane: Plane, query: URLSearchParams): Promise<object> {
  const object = query.get("object")
  const loop = query.get("loop")
  const limit = Math.min(entriesMax, Math.max(1, Number(query.get("limit") ?? 200) || 200))
  const { ledger } = plane.engine
  const loops = loop === null ? ledger.journalLoops() : [loop]
  const found: JournalEntry[] = []
  for (const one of loops) {
    for await (const entry of readJournal(ledger.store, one)) {
      if (object !== null && !isAbout(entry.event, object)) continue
      found.push(entry)
      if (found.length > 2 * limit) found.splice(0, found.length - limit)
    }
  }
  const entries = found.sort(byTime).slice(-limit)
  return { entries }
}

function byTime(left: JournalEntry, right: JournalEntry): number {
  if (left.loop === right.loop) return left.sequence - right.sequence
  return left.time < right.time ? -1 : left.time > right.time ? 1 : 0
}

function isAbout(event: JournalEvent, object: string): boolean {
  switch (event.type) {
    case "intent":
    case "would":
      return event.actions.some((action) => action.object === object)
    case "receipt":
      return event.action.object === object
    case "release":
    case "adopted":
      return event.object === object
    default:
      return false
  }
}
