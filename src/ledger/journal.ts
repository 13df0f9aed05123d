// The journal's chain: each entry carries the hash of the one before it, so that a changed, lost or
// reordered entry is found and named.

import { hashJson, sha256 } from "../base/hash.ts"
import { canonicalJson, type Json } from "../base/json.ts"
import type { JournalEntry, JournalEvent } from "../contract/journal.ts"
import type { Store } from "../contract/store.ts"
import { ledgerFault } from "./faults.ts"
import { decodeDocument, ledgerKeys } from "./keys.ts"
import { scanPrefix } from "./scan.ts"

export interface JournalHead {
  readonly sequence: number
  readonly hash: string
}

export const emptyHead: JournalHead = { sequence: 0, hash: "" }

export interface EntryInput {
  readonly loop: string
  readonly time: string
  readonly principal: string
  readonly event: JournalEvent
}

export function chainEntry(head: JournalHead, input: EntryInput): JournalEntry {
  const body = { format: 1, ...input, sequence: head.sequence + 1, previous: head.hash } as const
  return { ...body, hash: hashEntry(body) }
}

/** The hash covers every member but itself. */
export function hashEntry(entry: Omit<JournalEntry, "hash">): string {
  const { format, loop, sequence, time, principal, event, previous } = entry
  const plain: Json = JSON.parse(JSON.stringify(event))
  const body = { format, loop, sequence, time, principal, event: plain, previous }
  return sha256(canonicalJson(body))
}

export async function* readJournal(store: Store, loop: string): AsyncIterable<JournalEntry> {
  for await (const entry of scanPrefix(store, ledgerKeys.journal(loop))) {
    yield decodeDocument<JournalEntry>(entry.value)
  }
}

/** Walks the chain; throws naming the first bad entry, else says how many entries it verified. */
export async function verifyJournal(store: Store, loop: string): Promise<number> {
  let head = emptyHead
  for await (const entry of readJournal(store, loop)) {
    const { hash, ...body } = entry
    const bad = (what: string) =>
      ledgerFault("SPT-LEDGER-003", { loop, sequence: entry.sequence, what })
    if (entry.sequence !== head.sequence + 1) throw bad(`does not follow ${head.sequence}`)
    if (entry.previous !== head.hash) throw bad("does not carry the hash of the one before it")
    if (hashEntry(body) !== hash) throw bad("was changed")
    head = { sequence: entry.sequence, hash }
  }
  return head.sequence
}

/** Short and stable: names an intent by what it is about, without a random source. */
export function intentId(loop: string, sequence: number, digests: readonly string[]): string {
  return hashJson([loop, sequence, ...digests]).slice(0, 24)
}
