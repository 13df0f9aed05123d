// What the ledger remembers of a loop's source: the last good revision, where it came from, and the
// last one that was taken over, which a rollback does not change. And which revision a person let
// pass although it does not follow the one before.

import { enginePrincipal } from "../contract/principal.ts"
import type { RevisionOrigin, TakenRevision } from "../contract/source.ts"
import type { Write } from "../contract/store.ts"
import { decodeDocument, ledgerKeys, putDocument } from "../ledger/keys.ts"
import type { Ledger } from "../ledger/ledger.ts"

export interface RecordedSource {
  readonly revision: string
  /** The source's description: another one is another source. */
  readonly source: string
  readonly objects?: number
  readonly at?: string
  readonly taken?: TakenRevision
}

export interface AcceptedRevision {
  readonly revision: string
  /** What was taken when a person looked: only from there it may pass. */
  readonly from: string
  readonly by: string
  readonly at: string
  readonly reason: string
}

export async function recordedSource(
  ledger: Pick<Ledger, "store">,
  loop: string,
): Promise<RecordedSource | undefined> {
  const stored = await ledger.store.get(ledgerKeys.source(loop))
  if (stored === undefined || "kind" in stored) return undefined
  return decodeDocument<RecordedSource>(stored.value)
}

/** Durable before anybody hears of it; the same revision of the same source is known already. */
export async function recordGood(
  ledger: Pick<Ledger, "store" | "note">,
  loop: string,
  record: RecordedSource,
): Promise<void> {
  const { revision, source, objects, taken } = record
  const known = await recordedSource(ledger, loop)
  // Who follows another ref has taken it, also where it leads to the same revision.
  const same = known?.taken?.origin?.ref === taken?.origin?.ref
  if (known?.revision === revision && known.source === source && same) return
  const origin = taken?.revision === revision ? taken.origin : undefined
  const note = `${objects} objects${origin === undefined ? "" : takenText(origin)}`
  const event = { type: "source", state: "good", revision, note } as const
  const writes = [putDocument(ledgerKeys.source(loop), record)]
  const accepted = await storedAcceptance(ledger, loop)
  // Once: a later push that goes back to it asks again.
  const used = accepted !== undefined && accepted.revision === taken?.revision
  if (used) writes.push({ kind: "delete", key: ledgerKeys.accepted(loop) })
  await ledger.note(loop, enginePrincipal, [event], writes)
}

/** ", branch main: Add the third node (ann)" */
function takenText({ ref, subject, author }: RevisionOrigin): string {
  return `, ${ref}: ${subject} (${author})`
}

/** Of this source; another one begins anew. */
export async function takenRevision(
  ledger: Pick<Ledger, "store">,
  loop: string,
  source: string,
): Promise<TakenRevision | undefined> {
  const known = await recordedSource(ledger, loop)
  return known?.source === source ? known.taken : undefined
}

/** The revision that may pass although it does not follow what is taken now. */
export async function acceptedRevision(
  ledger: Pick<Ledger, "store">,
  loop: string,
  source: string,
): Promise<string | undefined> {
  const accepted = await storedAcceptance(ledger, loop)
  const taken = await takenRevision(ledger, loop, source)
  return accepted !== undefined && accepted.from === taken?.revision ? accepted.revision : undefined
}

async function storedAcceptance(
  ledger: Pick<Ledger, "store">,
  loop: string,
): Promise<AcceptedRevision | undefined> {
  const stored = await ledger.store.get(ledgerKeys.accepted(loop))
  if (stored === undefined || "kind" in stored) return undefined
  return decodeDocument<AcceptedRevision>(stored.value)
}

export function acceptWrite(loop: string, accepted: AcceptedRevision): Write {
  return putDocument(ledgerKeys.accepted(loop), accepted)
}
