// The journal for auditors: its heads to keep elsewhere, its verification, its entries page by
// page. The same over the API of a running plane and on a data directory; nothing here writes.

import { isArray, isObject, type Json } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import type { JournalEntry } from "../contract/journal.ts"
import type { Store } from "../contract/store.ts"
import { ledgerFault } from "./faults.ts"
import { journalLoops, lastSequenceBefore, readHead, readJournal } from "./journal.ts"
import { sinceMs } from "./since.ts"
import { checkJournal, type JournalCheck, type KeptHead } from "./verify-journal.ts"

const pageMax = 1000
const pageTextMax = 4 * 1024 * 1024
const headsMax = 10_000

export interface EntriesQuery {
  readonly loop: string
  /** The last sequence that was read. */
  readonly after: number
  /** A duration or a time; "" for everything. */
  readonly since: string
}

export interface EntriesPage {
  readonly entries: readonly JournalEntry[]
  /** Where the next page goes on; missing at the end. */
  readonly next?: number
}

/** The newest entry of every journal, to be kept where nobody who can change the journal writes. */
export async function keptHeads(store: Store): Promise<KeptHead[]> {
  const heads: KeptHead[] = []
  for (const loop of await journalLoops(store)) {
    const head = await readHead(store, loop)
    if (head === undefined) continue
    const { sequence, hash, anchor } = head
    heads.push({ loop, sequence, hash, ...(anchor === undefined ? {} : { anchor }) })
  }
  return heads
}

export async function verifyJournals(
  store: Store,
  loop: string | null,
  heads: readonly KeptHead[],
  breathe?: () => Promise<void> | undefined,
): Promise<JournalCheck[]> {
  const known = await journalLoops(store)
  const named = [...new Set([...known, ...heads.map((head) => head.loop)])].sort()
  if (loop !== null && !named.includes(loop)) throw ledgerFault("SPT-LEDGER-005", { loop })
  const checks: JournalCheck[] = []
  for (const one of loop === null ? named : [loop]) {
    checks.push(await checkJournal(store, one, heads, breathe))
  }
  return checks
}

/** Heads from outside, as `audit anchor` printed them. */
export function readHeads(body: Json | undefined): KeptHead[] {
  const refuse = (why: string) => ledgerFault("SPT-LEDGER-006", { why })
  if (body === undefined || body === null) return []
  const list = isObject(body) ? (body.heads ?? []) : undefined
  if (!isArray(list) || list.length > headsMax) throw refuse("it holds no list of heads")
  return list.map((one) => {
    const head = headOf(one)
    if (head === undefined) throw refuse("one of them has no loop, sequence or hash")
    return head
  })
}

function headOf(value: Json): KeptHead | undefined {
  if (!isObject(value)) return undefined
  const { loop, sequence, hash, anchor } = value
  if (typeof loop !== "string" || typeof sequence !== "number" || typeof hash !== "string") {
    return undefined
  }
  if (!Number.isSafeInteger(sequence) || sequence < 0) return undefined
  const head = { loop, sequence, hash }
  if (anchor === undefined) return head
  if (!isObject(anchor) || typeof anchor.to !== "number" || typeof anchor.hash !== "string") {
    return undefined
  }
  return { ...head, anchor: { to: anchor.to, hash: anchor.hash } }
}

/** Entries after a sequence and since a time, a bounded number of them. */
export async function entriesPage(
  store: Store,
  query: EntriesQuery,
  now: number,
): Promise<EntriesPage> {
  const { loop } = query
  if ((await readHead(store, loop)) === undefined) throw ledgerFault("SPT-LEDGER-005", { loop })
  const since = sinceMs(query.since, now, 0)
  const after = Math.max(query.after, await lastSequenceBefore(store, loop, since))
  const entries: JournalEntry[] = []
  let read = 0
  let text = 0
  for await (const entry of readJournal(store, loop, after)) {
    if (Date.parse(entry.time) >= since) {
      entries.push(entry)
      text += jsonText(entry).length
    }
    if (++read >= pageMax || text > pageTextMax) return { entries, next: entry.sequence }
  }
  return { entries }
}
