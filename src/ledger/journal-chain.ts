// The journal's chain: each entry carries the hash of the one before it, and each closed segment
// leaves an anchor that carries the hash of the anchor before it. Pure: what is made here is
// written by the ledger's writer and nobody else.

import { hashJson, sha256 } from "../base/hash.ts"
import { canonicalDocument, canonicalJson } from "../base/json.ts"
import type { JournalAnchor, JournalEntry, JournalEvent } from "../contract/journal.ts"

/** So many entries make a segment. */
export const segmentSize = 4096

/** The end of a loop's journal, in the same commit as its last entry. */
export interface JournalHead {
  readonly sequence: number
  readonly hash: string
  /** The newest anchor; missing until the first segment was closed. */
  readonly anchor?: { readonly to: number; readonly hash: string }
  /** The oldest entry that is kept; 1 when missing. */
  readonly keptFrom?: number
}

export const emptyHead: JournalHead = { sequence: 0, hash: "" }

export interface EntryInput {
  readonly loop: string
  readonly time: string
  readonly principal: string
  readonly revision?: string
  readonly event: JournalEvent
}

export function chainEntry(head: JournalHead, input: EntryInput): JournalEntry {
  const body = { format: 1, ...input, sequence: head.sequence + 1, previous: head.hash } as const
  return { ...body, hash: hashEntry(body) }
}

/** The hash covers every member but itself. */
export function hashEntry(entry: Omit<JournalEntry, "hash">): string {
  const { format, loop, sequence, time, principal, revision, event, previous } = entry
  const covered = { format, loop, sequence, time, principal, revision, event, previous }
  return sha256(canonicalDocument(covered)) // A member that is missing leaves no trace.
}

/** Whether the newest entry ends a segment. */
export function endsSegment(head: JournalHead, size: number): boolean {
  return head.sequence - (head.anchor?.to ?? 0) >= size
}

/** The anchor of everything since the last one, up to the newest entry. */
export function closeSegment(loop: string, head: JournalHead, time: string): JournalAnchor {
  const body = {
    format: 1,
    loop,
    from: (head.anchor?.to ?? 0) + 1,
    to: head.sequence,
    lastHash: head.hash,
    time,
    previousAnchorHash: head.anchor?.hash ?? "",
  } as const
  return { ...body, hash: hashAnchor(body) }
}

export function hashAnchor(anchor: Omit<JournalAnchor, "hash">): string {
  const { format, loop, from, to, lastHash, time, previousAnchorHash } = anchor
  return sha256(canonicalJson({ format, loop, from, to, lastHash, time, previousAnchorHash }))
}

/** Short and stable: names an intent by what it is about, without a random source. */
export function intentId(loop: string, sequence: number, digests: readonly string[]): string {
  return hashJson([loop, sequence, ...digests]).slice(0, 24)
}
