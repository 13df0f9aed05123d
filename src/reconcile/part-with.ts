// A target that is left where it is: the journal says why, and it stays known as an orphan.

import { toTimestamp } from "../base/clock.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { TargetRecord } from "../contract/record.ts"
import type { OrphanCause } from "../ledger/orphans.ts"
import type { Subject } from "./look.ts"
import type { ReconcilePorts } from "./ports.ts"

export async function partWith(
  { key, loop }: Pick<Subject, "key" | "loop">,
  record: TargetRecord,
  { cause, note }: { readonly cause: OrphanCause; readonly note: string },
  { ledger, clock }: Pick<ReconcilePorts, "ledger" | "clock">,
): Promise<void> {
  const event = { type: "release", object: key, note, target: record.target } as const
  const at = toTimestamp(clock.now())
  const writes = ledger.orphanWrites(record, { cause, at, by: enginePrincipal.name, why: note })
  await ledger.note(loop.id, enginePrincipal, [event], writes)
}
