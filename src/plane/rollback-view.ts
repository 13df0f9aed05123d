// What a loop is rolled back to, and what it could be: for status, explain and the Loop object.

import type { Json } from "../base/json.ts"
import { toPlainJson } from "../base/json.ts"
import { lastGood } from "../controllers/checkpoint-keeper.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { quarantineText } from "../ledger/quarantines.ts"

/** Null while the source is used as it is. */
export function rollbackView(ledger: Ledger, loop: string, lost: readonly string[] = []): Json {
  const quarantine = ledger.quarantines.get(loop)
  if (quarantine === undefined) return null
  const { checkpoint, revision, by, at, reason, pinnedRevision } = quarantine
  const text = quarantineText(quarantine)
  const notRestored = lost.length === 0 ? undefined : lost.slice(0, 10)
  const known = { checkpoint, quarantined: revision, by, at, reason, pinnedRevision, text }
  return toPlainJson({ ...known, notRestored })
}

export function lastGoodView(ledger: Ledger, loop: string): Json {
  const header = ledger.checkpoints.get(loop, lastGood)
  if (header === undefined) return null
  const { created, revision, count } = header
  return toPlainJson({ created, revision, objects: count })
}
