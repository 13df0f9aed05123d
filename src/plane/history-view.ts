// What happened, newest last: the journal of one object, one loop, or everything. A reader that
// comes again says up to where it has read, and gets only what came after.

import type { JournalEntry, JournalEvent } from "../contract/journal.ts"
import { ledgerFault } from "../ledger/faults.ts"
import type { JournalHead } from "../ledger/journal-chain.ts"
import { decodeDocument, ledgerKeys } from "../ledger/keys.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { sinceMs } from "../ledger/since.ts"
import type { Plane } from "./plane.ts"
import type { Sight } from "./route-access.ts"

const entriesMax = 10_000
const pageSize = 1000

export async function historyOf(
  plane: Plane,
  query: URLSearchParams,
  sight: Sight,
): Promise<{ readonly entries: JournalEntry[]; readonly heads: Record<string, number> }> {
  const object = query.get("object")
  const loop = query.get("loop")
  const limit = Math.min(entriesMax, Math.max(1, Number(query.get("limit") ?? 200) || 200))
  const after = readAfter(query.get("after"))
  const since = sinceMs(query.get("since"), plane.ports.clock.now(), 0)
  const { ledger } = plane.engine
  const chosen = loop === null ? ledger.journalLoops() : [knownLoop(plane, loop)]
  // Whoever may see the object may see what happened to it, and of that journal nothing else.
  const loops = chosen.filter((one) => object !== null || sight.journal(one))
  const found: JournalEntry[] = []
  const heads: Record<string, number> = {}
  for (const one of loops) {
    const head = await headOf(ledger, one)
    heads[one] = head
    // Without an object to look for, only the end of the journal can be asked for.
    const from = object === null ? Math.max(0, head - limit) : 0
    for await (const entry of readAfterSequence(ledger, one, Math.max(from, after[one] ?? 0))) {
      if (entry.sequence > head) break
      if (Date.parse(entry.time) < since) continue
      if (object !== null && !isAbout(entry.event, object)) continue
      if (object === null) found.push(entry)
      else found.push({ ...entry, event: only(entry.event, object, sight.journal(one)) })
      if (found.length > 2 * limit) found.splice(0, found.length - limit)
    }
  }
  const entries = found.sort(byTime).slice(-limit)
  return { entries, heads }
}

/** A name that was mistyped is no loop in which nothing happened. */
export function knownLoop({ engine, loops }: Plane, loop: string): string {
  if (loops.get(loop) !== undefined || engine.ledger.journalLoops().includes(loop)) return loop
  throw ledgerFault("SPT-LEDGER-005", { loop })
}

/** "default.site:12,plane:3": the last sequence that was read of each loop. */
function readAfter(text: string | null): Record<string, number> {
  const pairs = (text ?? "").split(",").map((part) => part.split(":"))
  return Object.fromEntries(pairs.map(([loop = "", sequence]) => [loop, Number(sequence) || 0]))
}

async function headOf(ledger: Ledger, loop: string): Promise<number> {
  const entry = await ledger.store.get(ledgerKeys.journalHead(loop))
  if (entry === undefined || "kind" in entry) return 0
  return decodeDocument<JournalHead>(entry.value).sequence
}

async function* readAfterSequence(
  ledger: Ledger,
  loop: string,
  sequence: number,
): AsyncIterable<JournalEntry> {
  let after = ledgerKeys.journalEntry(loop, sequence)
  for (;;) {
    const query = { prefix: ledgerKeys.journal(loop), after, limit: pageSize }
    const page = await ledger.store.range(query)
    if (page.kind === "compacted") return // Only reads of the past are; this one is of now.
    for (const { value } of page.entries) yield decodeDocument<JournalEntry>(value)
    const last = page.entries.at(-1)?.key
    if (!page.more || last === undefined) return
    after = last
  }
}

function byTime(left: JournalEntry, right: JournalEntry): number {
  if (left.loop === right.loop) return left.sequence - right.sequence
  return left.time < right.time ? -1 : left.time > right.time ? 1 : 0
}

export function isAbout(event: JournalEvent, object: string): boolean {
  switch (event.type) {
    case "intent":
    case "would":
      return event.actions.some((action) => action.object === object)
    case "receipt":
      return event.action.object === object
    case "release":
    case "adopted":
    case "orphaned":
    case "forgotten":
    case "moved":
    case "detached":
      return event.object === object
    case "states":
      return (
        event.out?.some((one) => one.object === object) === true ||
        [event.in, event.first, event.gone].some((list) => list?.includes(object) === true)
      )
    default:
      return false
  }
}

/** Of many objects that changed their state together, the one that was asked for. */
export function only(event: JournalEvent, object: string, sees: boolean): JournalEvent {
  if (!sees && (event.type === "intent" || event.type === "would")) {
    return { ...event, actions: event.actions.filter((action) => action.object === object) }
  }
  if (event.type !== "states") return event
  const mine = (list: readonly string[] = []) => list.filter((one) => one === object)
  const out = (event.out ?? []).filter((one) => one.object === object)
  const lists = { in: mine(event.in), first: mine(event.first), gone: mine(event.gone) }
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0)
  return { type: "states", ...(out.length > 0 ? { out } : {}), ...Object.fromEntries(filled) }
}
