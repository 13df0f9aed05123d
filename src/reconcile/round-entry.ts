// What a round was judged by and how, for the journal: guards can be tested against it later with
// other limits. Bounded, without values of fields, and written only when something in it is new.

import { type JsonObject, toPlainJson } from "../base/json.ts"
import type { FieldChange } from "../contract/action.ts"
import type { JournalEvent, RoundAction, RoundInputs, RoundVerdict } from "../contract/journal.ts"
import type { LoopSpec } from "../contract/loop.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { Verdict } from "../contract/verdict.ts"
import { countDestroyed } from "../guard/effects.ts"
import type { JudgedAction, RoundFacts } from "../guard/guard.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Judged, LoopEngine } from "./loop-engine.ts"

export const actionsKept = 1000
const fieldsKept = 20

/** Before anything of the round is carried out: what is held already tells what is new. */
export function noteRound(loop: LoopEngine, judged: readonly Judged[], ledger: Ledger): void {
  if (loop.spec.mode === "Observe") return
  const fresh = judged.filter((one) => isNew(loop, one))
  if (fresh.length === 0) return
  ledger.ride(loop.id, enginePrincipal, [roundEvent(loop.facts([]), judged)])
}

/** Limited, destructive, held, denied or waiting, and not so already the last time. */
function isNew(loop: LoopEngine, { proposal, item, verdict }: Judged): boolean {
  const { uid, digest, verb } = proposal.action
  const before = loop.judgedBefore.get(uid)
  if (verdict.kind === "allow") {
    loop.judgedBefore.delete(uid)
    return item.limitedChange || countDestroyed(item.effects) > 0
  }
  const now = `${verdict.kind} ${digest} ${codesOf(verdict).join(" ")}`
  loop.judgedBefore.set(uid, now)
  if (before === now) return false
  if (verdict.kind !== "hold") return true
  // After a restart memory is empty; what is held is not.
  const slot = verb === "delete" ? "delete" : "act"
  return before !== undefined || loop.held.get(uid, slot)?.action.digest !== digest
}

export function roundEvent(facts: RoundFacts, judged: readonly Judged[]): JournalEvent {
  const kept = judged.slice(0, actionsKept)
  const inputs: RoundInputs = {
    set: "round",
    ...shared(facts),
    changesUsed: facts.changesUsed,
    ...otherFacts(facts),
    actions: kept.map(({ item }) => actionOf(item)),
    counts: countsOf(
      judged.map(({ proposal }) => proposal.action.verb),
      judged.map(({ verdict }) => verdict.kind),
    ),
  }
  const verdicts = kept.map(({ proposal, verdict }): RoundVerdict => {
    return { digest: proposal.action.digest, kind: verdict.kind, codes: codesOf(verdict) }
  })
  return { type: "round", inputs, verdicts }
}

export interface DeleteSet {
  readonly facts: Pick<
    RoundFacts,
    "spec" | "inventory" | "baseline" | "deletesUsed" | "restored"
  > & { readonly facts: JsonObject }
  readonly targets: readonly {
    readonly uid: string
    readonly object: string
    readonly kind: string
    readonly protectedBy?: string
  }[]
  readonly verdict: Verdict
}

/** A set of deletes has one verdict for all of it. */
export function deleteSetEvent({ facts, targets, verdict }: DeleteSet): JournalEvent {
  const inputs: RoundInputs = {
    set: "deletes",
    ...shared(facts),
    changesUsed: 0,
    facts: facts.facts,
    actions: targets.slice(0, actionsKept).map((target) => ({
      ...target,
      verb: "delete",
      destroys: 1,
      limitedChange: false,
      approved: false,
      granted: "no",
      fresh: true,
    })),
    counts: countsOf(
      targets.map(() => "delete"),
      targets.map(() => verdict.kind),
    ),
  }
  return { type: "round", inputs, verdicts: [{ kind: verdict.kind, codes: codesOf(verdict) }] }
}

export const codesOf = ({ reasons }: Verdict): string[] => [
  ...new Set(reasons.map(({ code }) => code)),
]

function shared(facts: DeleteSet["facts"] | RoundFacts) {
  const { inventory, baseline, deletesUsed, restored } = facts
  return { spec: specOf(facts.spec), inventory, baseline, deletesUsed, restored }
}

function specOf({ source: _, ...spec }: LoopSpec): JsonObject {
  return toPlainJson(spec) as JsonObject
}

/** What is empty or false is left out. */
function otherFacts({ coldStart, floors, window, sourceAgeMs, vanished }: RoundFacts) {
  const facts = {
    ...(coldStart ? { coldStart } : {}),
    ...(floors.length === 0 ? {} : { floors }),
    ...(window.open ? {} : { window }),
    ...(sourceAgeMs === undefined || !Number.isFinite(sourceAgeMs) ? {} : { sourceAgeMs }),
    ...(vanished.size === 0 ? {} : { vanished: Object.fromEntries(vanished) }),
  }
  return Object.keys(facts).length === 0 ? {} : { facts: toPlainJson(facts) as JsonObject }
}

function actionOf(item: JudgedAction): RoundAction {
  const { action, limitedChange, approved, granted, fresh } = item
  const { uid, digest, object, kind, verb, changes } = action
  return {
    ...{ uid, digest, object, kind, verb, destroys: countDestroyed(item.effects) },
    ...{ limitedChange, approved, granted, fresh },
    ...(changes.length === 0 ? {} : { fields: changes.slice(0, fieldsKept).map(fieldOf) }),
    ...(item.adoptDeclared ? { adoptDeclared: true } : {}),
    ...(item.flapping.length === 0 ? {} : { flapping: item.flapping.slice(0, fieldsKept) }),
    ...(item.rejectedBy === undefined ? {} : { rejectedBy: item.rejectedBy }),
    ...(item.protectedBy === undefined ? {} : { protectedBy: item.protectedBy }),
  }
}

const fieldOf = ({ path, why }: FieldChange) => ({ path, why })

function countsOf(verbs: readonly string[], verdicts: readonly string[]): RoundInputs["counts"] {
  return { actions: verbs.length, verbs: tally(verbs), verdicts: tally(verdicts) }
}

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}
