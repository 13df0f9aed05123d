// The last things that were done, or tried, for one object: the end of its loop's journal, read
// backwards as far as is cheap.

import type { JournalEntry } from "../contract/journal.ts"
import { decodeDocument, ledgerKeys } from "../ledger/keys.ts"
import type { Ledger } from "../ledger/ledger.ts"

export interface RecentAct {
  readonly time: string
  readonly verb: string
  readonly result: string
  readonly cause: string
  readonly by: string
  readonly error?: string
}

const entriesRead = 500
const actsMax = 3

/** Newest first. */
export async function recentActs(ledger: Ledger, loop: string, key: string): Promise<RecentAct[]> {
  const { sequence } = ledger.journalHead(loop)
  const after = ledgerKeys.journalEntry(loop, Math.max(0, sequence - entriesRead))
  const query = { prefix: ledgerKeys.journal(loop), after, limit: entriesRead }
  const page = await ledger.store.range(query)
  if (page.kind === "compacted") return [] // Only reads of the past are; this one is of now.
  const entries = page.entries.map(({ value }) => decodeDocument<JournalEntry>(value))
  const askedBy = new Map<string, string>()
  for (const { event, principal } of entries) {
    if (event.type === "intent") askedBy.set(event.intent, principal)
  }
  const acts = entries.flatMap(({ time, principal, event }) => {
    if (event.type !== "receipt" || event.action.object !== key) return []
    const { action, result, error } = event
    const by = action.cause.principal ?? askedBy.get(event.intent) ?? principal
    const failed = error === undefined ? {} : { error }
    return [{ time, verb: action.verb, result, cause: action.cause.text, by, ...failed }]
  })
  return acts.reverse().slice(0, actsMax)
}
