// Journals what a set of deletes was judged by, with the next commit of its loop. Asked for again
// and again, as a source does with what is held, the same set is written once.

import { hashJson } from "../base/hash.ts"
import { type JsonObject, toPlainJson } from "../base/json.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { Verdict } from "../contract/verdict.ts"
import type { DeleteSetFacts } from "../guard/judge-deletes.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Subject } from "../reconcile/look.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { codesOf, deleteSetEvent } from "../reconcile/round-entry.ts"

export interface JudgedDeletes {
  readonly loop: LoopEngine
  readonly open: readonly Subject[]
  readonly facts: DeleteSetFacts
  readonly verdict: Verdict
}

export function noteDeleteSet(judged: JudgedDeletes, ledger: Ledger): void {
  const { loop, facts, verdict } = judged
  if (facts.kinds.length + (facts.replaced ?? 0) === 0) return
  const owned = judged.open.filter(({ uid }) => ledger.inventory.mayOwn(uid))
  if (!isNew(judged, owned)) return
  const protectedBy = new Map(facts.protectedObjects.map(({ object, by }) => [object, by]))
  const targets = owned.map(({ uid, key, kind }) => {
    const by = protectedBy.get(key)
    const target = { uid, object: key, kind: kind.provider.kind }
    return by === undefined ? target : { ...target, protectedBy: by }
  })
  const event = deleteSetEvent({ facts: { ...facts, facts: otherFacts(facts) }, targets, verdict })
  ledger.ride(loop.id, enginePrincipal, [event])
}

function isNew({ loop, facts, verdict }: JudgedDeletes, owned: readonly Subject[]): boolean {
  const name = `deletes ${facts.origin} ${facts.parent ?? ""}`
  const now = hashJson([verdict.kind, ...codesOf(verdict), ...owned.map(({ uid }) => uid).sort()])
  const before = loop.judgedBefore.get(name)
  loop.judgedBefore.set(name, now)
  if (verdict.kind === "allow") return true
  if (before !== undefined) return before !== now
  // After a restart memory is empty; what is held is not.
  return !owned.every(({ uid }) => loop.held.get(uid, "delete") !== undefined)
}

/** What only sets of deletes are judged by. */
function otherFacts(facts: DeleteSetFacts) {
  const { origin, principal, kinds, inventoryOf, floors, shrunk, replaced, parent } = facts
  const inventoryByKind = Object.fromEntries(
    [...new Set(kinds)].map((kind) => [kind, inventoryOf(kind)]),
  )
  const asked = parent === undefined ? {} : { parent, replaced }
  const all = { origin, principal, inventoryByKind, floors, shrunk, ...asked }
  return toPlainJson(all) as JsonObject
}
