// Reads a loop's journal: all of it, what came after a sequence, or what is young enough. It never
// writes; that is the ledger's writer.

import type { JournalAnchor, JournalEntry } from "../contract/journal.ts"
import type { Store } from "../contract/store.ts"
import type { JournalHead } from "./journal-chain.ts"
import { decodeDocument, ledgerKeys } from "./keys.ts"
import { scanPrefix } from "./scan.ts"

/** A clock that was set back by less than this hides nothing from a reader. */
const clockDoubtMs = 86_400_000

export async function* readJournal(
  store: Store,
  loop: string,
  afterSequence = 0,
): AsyncIterable<JournalEntry> {
  const after = ledgerKeys.journalEntry(loop, afterSequence)
  for await (const entry of scanPrefix(store, ledgerKeys.journal(loop), { after })) {
    yield decodeDocument<JournalEntry>(entry.value)
  }
}

/** Entries written at or after the time; whole segments that are older are not even read. */
export async function* readJournalSince(
  store: Store,
  loop: string,
  sinceMs: number,
): AsyncIterable<JournalEntry> {
  const before = await lastSequenceBefore(store, loop, sinceMs)
  for await (const entry of readJournal(store, loop, before)) {
    if (Date.parse(entry.time) >= sinceMs) yield entry
  }
}

/** The end of the newest segment that is surely older than the time. */
export async function lastSequenceBefore(
  store: Store,
  loop: string,
  sinceMs: number,
): Promise<number> {
  let sequence = 0
  for await (const anchor of readAnchors(store, loop)) {
    if (Date.parse(anchor.time) >= sinceMs - clockDoubtMs) break
    sequence = anchor.to
  }
  return sequence
}

export async function* readAnchors(
  store: Store,
  loop: string,
  afterSequence = 0,
): AsyncIterable<JournalAnchor> {
  const after = ledgerKeys.journalAnchor(loop, afterSequence)
  for await (const entry of scanPrefix(store, ledgerKeys.journalAnchors(loop), { after })) {
    yield decodeDocument<JournalAnchor>(entry.value)
  }
}

export async function readHead(store: Store, loop: string): Promise<JournalHead | undefined> {
  const entry = await store.get(ledgerKeys.journalHead(loop))
  if (entry === undefined || "kind" in entry) return undefined
  return decodeDocument<JournalHead>(entry.value)
}

/** Every loop that has a head, entries or anchors: whatever was taken away, the rest is named. */
export async function journalLoops(store: Store): Promise<string[]> {
  const loops = new Set<string>()
  for await (const { key } of scanPrefix(store, ledgerKeys.journalHeads)) {
    loops.add(key.slice(ledgerKeys.journalHeads.length))
  }
  for (const prefix of [ledgerKeys.journals, ledgerKeys.allJournalAnchors]) {
    for await (const loop of firstNames(store, prefix)) loops.add(loop)
  }
  return [...loops].sort()
}

/** The first part of each key below the prefix, without reading what lies below that. */
async function* firstNames(store: Store, prefix: string): AsyncIterable<string> {
  let after: string | undefined
  for (;;) {
    const query = { prefix, limit: 1, ...(after === undefined ? {} : { after }) }
    const page = await store.range(query)
    const key = page.kind === "range" ? page.entries[0]?.key : undefined
    if (key === undefined) return
    const [name = ""] = key.slice(prefix.length).split("/")
    yield name
    after = key.includes("/", prefix.length) ? `${prefix}${name}0` : key // "0" follows "/".
  }
}
