// Observe mode: journals what would have been done, and what guards would have kept back, when that
// set changes. It makes no plans and no intents.

import { jsonText } from "../base/json-text.ts"
import type { JournalEvent } from "../contract/journal.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Judged, LoopEngine } from "./loop-engine.ts"
import { codesOf } from "./round-entry.ts"

/** One entry lists at most so many actions, and at most so many characters of them. */
const actionsMax = 500
const textMax = 512 * 1024
/** The reason that every action of such a loop has. */
const observing = "Observe"

export async function noteWould(
  loop: LoopEngine,
  judged: readonly Judged[],
  ledger: Ledger,
): Promise<void> {
  const changed = judged.filter(({ proposal: { action } }) => {
    return loop.would.get(action.uid) !== action.digest
  })
  for (const part of parts(changed)) {
    const writes = part.map(({ proposal: { action } }) => {
      const { uid, digest } = action
      return ledger.would.put({ loop: loop.id, uid, digest })
    })
    await ledger.note(loop.id, enginePrincipal, [wouldEvent(part)], writes)
  }
}

function wouldEvent(part: readonly Judged[]): JournalEvent {
  const kept = part.flatMap(({ proposal, verdict }) => {
    const codes = codesOf(verdict).filter((code) => code !== observing)
    return codes.length === 0 ? [] : [{ digest: proposal.action.digest, codes }]
  })
  const actions = part.map(({ proposal }) => proposal.action)
  return { type: "would", actions, ...(kept.length === 0 ? {} : { kept }) }
}

function parts(judged: readonly Judged[]): Judged[][] {
  const made: Judged[][] = []
  let text = 0
  for (const one of judged) {
    const length = jsonText(one.proposal.action).length
    const last = made.at(-1)
    if (last === undefined || last.length >= actionsMax || text + length > textMax) {
      made.push([one])
      text = length
    } else {
      last.push(one)
      text += length
    }
  }
  return made
}
