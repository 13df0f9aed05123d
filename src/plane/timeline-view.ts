// What happened to one object, the newest first, in pages: its loop's journal is read backwards, a
// bounded piece of it for each answer. Whoever may see the object may see what happened to it, and
// of that journal nothing else.

import type { JournalEntry } from "../contract/journal.ts"
import { decodeDocument, ledgerKeys } from "../ledger/keys.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { loopLabel } from "../object/object.ts"
import { historyOf, isAbout, only } from "./history-view.ts"
import type { Plane } from "./plane.ts"
import type { Sight } from "./route-access.ts"

const pageSize = 1000
const scannedMax = 20_000
const limitMax = 500

export async function timelineOf(
  plane: Plane,
  query: URLSearchParams,
  sight: Sight,
): Promise<object> {
  const { ledger, feed } = plane.engine
  const key = query.get("object") ?? ""
  const object = await feed?.object(key)
  const named = query.get("loop") ?? ""
  const loop = object?.metadata.labels?.[loopLabel] ?? (sight.journal(named) ? named : "")
  if (loop === "") return ofAllLoops(plane, key, sight)
  const limit = Math.min(limitMax, Math.max(1, Number(query.get("limit") ?? 100) || 100))
  const head = ledger.journalHead(loop).sequence
  const before = Number(query.get("before") ?? 0) || head + 1
  const after = Number(query.get("after") ?? 0) || 0
  const found: JournalEntry[] = []
  let to = Math.min(head, before - 1)
  const end = Math.max(after, to - scannedMax)
  while (to > end && found.length < limit) {
    const from = Math.max(end, to - pageSize)
    const entries = await between(ledger, loop, from, to)
    const about = entries.filter(({ event }) => isAbout(event, key))
    const room = limit - found.length
    const kept = about.reverse().slice(0, room)
    found.push(...kept.map((one) => ({ ...one, event: only(one.event, key, sight.journal(loop)) })))
    // What did not fit comes with the next page.
    to = kept.length < about.length ? (kept.at(-1)?.sequence ?? to) - 1 : from
  }
  return { loop, head, entries: found, ...(to > after ? { before: to + 1 } : {}) }
}

/** What belongs to no loop may have been in any: all at once, and the end of it. */
async function ofAllLoops(plane: Plane, key: string, sight: Sight): Promise<object> {
  const query = new URLSearchParams({ object: key, limit: String(limitMax) })
  const { entries } = await historyOf(plane, query, sight)
  return { loop: "", head: 0, entries: entries.toReversed(), whole: true }
}

/** After `from`, up to `to`. */
async function between(
  { store }: Ledger,
  loop: string,
  from: number,
  to: number,
): Promise<JournalEntry[]> {
  const after = ledgerKeys.journalEntry(loop, from)
  const page = await store.range({ prefix: ledgerKeys.journal(loop), after, limit: to - from })
  if (page.kind === "compacted") return [] // Only reads of the past are; this one is of now.
  const entries = page.entries.map(({ value }) => decodeDocument<JournalEntry>(value))
  return entries.filter(({ sequence }) => sequence <= to)
}
