// From differences to actions. Pure: decides what would close the differences, never whether it may
// be done. At most one action comes out per pass; what is left is seen by the next one.

import type { Fault } from "../base/faults.ts"
import type { JsonObject } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import { type Action, type FieldChange, finishAction, type Verb } from "../contract/action.ts"
import type { LoopSpec } from "../contract/loop.ts"
import type { Absent, Present } from "../contract/observation.ts"
import type { TargetRecord } from "../contract/record.ts"
import { countDestroyed, effectsOf } from "../guard/effects.ts"
import { onConflictOf, onDriftOf } from "../guard/path-policy.ts"
import type { ApiObject } from "../object/object.ts"
import { causeOf } from "./cause.ts"
import type { FoundReference } from "./desire.ts"
import { reconcileFault } from "./faults.ts"
import type { KindRuntime } from "./kind-runtime.ts"
import type { RollbackCause } from "./loop-engine.ts"

export interface ProposeInput {
  readonly object: ApiObject
  readonly key: string
  readonly kind: KindRuntime
  readonly loop: string
  readonly spec: LoopSpec
  readonly target: string
  readonly desired: JsonObject
  readonly record: TargetRecord | undefined
  readonly observation: Present | Absent
  readonly changes: readonly FieldChange[]
  readonly sourceRevision: string | undefined
  readonly rollback?: RollbackCause | undefined
  readonly adoptDeclared: boolean
  readonly references?: readonly FoundReference[]
}

export type Proposed =
  /** As declared, or as far as the loop's policy corrects it; `reported` is drift left alone. */
  | { readonly kind: "settled"; readonly reported: readonly FieldChange[] }
  /** The target is as declared and becomes ours; only the ledger changes. */
  | { readonly kind: "take" }
  | {
      readonly kind: "action"
      readonly action: Action
      /** What the provider is given: fields that are left alone keep their observed value. */
      readonly desired: JsonObject
      readonly limitedChange: boolean
      readonly reported: readonly FieldChange[]
      /** Fields that are left as they are; what was applied of them before still counts. */
      readonly kept: readonly string[]
    }
  | { readonly kind: "stuck"; readonly fault: Fault }

export function propose(input: ProposeInput): Proposed {
  const { observation, record } = input
  if (observation.kind === "absent") return proposeCreate(input)
  if (record?.owned === true) return proposeUpdate(input, input.changes)
  return proposeTaking(input, observation)
}

function proposeCreate(input: ProposeInput): Proposed {
  const { record, kind, target, desired } = input
  const uncertain = record?.pending?.verb === "create" && kind.provider.identityRule === "none"
  if (uncertain && protects("uncertain-create-waits")) {
    return { kind: "stuck", fault: reconcileFault("SPT-LOOP-004", { target }) }
  }
  const recreated = record?.owned === true
  if (recreated && input.spec.onDrift === "Report") {
    return { kind: "settled", reported: input.changes }
  }
  const incarnation = Math.max(1, (record?.incarnation ?? 0) + (recreated ? 1 : 0))
  const action = draft(input, "create", input.changes, incarnation)
  return { kind: "action", action, desired, limitedChange: recreated, reported: [], kept: [] }
}

/** Present, and not in our inventory. */
function proposeTaking(input: ProposeInput, observation: Present): Proposed {
  const { object, record, changes, desired, adoptDeclared } = input
  const ours = observation.mark !== undefined && observation.mark === object.metadata.uid
  const halfMade = record?.pending?.verb === "create"
  if (changes.length === 0) {
    if (ours || halfMade || adoptDeclared) return { kind: "take" }
    return { kind: "settled", reported: [] } // Matched, not owned: deleting the object leaves it.
  }
  const incarnation = Math.max(1, record?.incarnation ?? 0)
  if (ours) {
    const action = draft(input, "update", changes, incarnation)
    return { kind: "action", action, desired, limitedChange: true, reported: [], kept: [] }
  }
  const adopted = changes.map((change): FieldChange => ({ ...change, why: "adopt" }))
  const action = draft(input, "adopt", adopted, incarnation)
  return { kind: "action", action, desired, limitedChange: true, reported: [], kept: [] }
}

/**
 * A field of the spec is acted on as a whole or left as a whole: a provider is given whole fields,
 * and one that is half kept would never come to rest.
 */
function proposeUpdate(input: ProposeInput, changes: readonly FieldChange[]): Proposed {
  const { spec, record, kind } = input
  const alone = fieldsOf(changes.filter((change) => isLeftAlone(change, spec)))
  const reported = changes.filter((change) => alone.has(topField(change.path)))
  const wanted = changes.filter((change) => !alone.has(topField(change.path)))
  if (wanted.length === 0) return { kind: "settled", reported }
  // Conflicting fields wait for a person alone: first everything else is brought in order.
  const holds = ({ why, path }: FieldChange) =>
    why === "conflict" && onConflictOf(spec, path) === "Hold"
  const waiting = fieldsOf(wanted.filter(holds))
  const free = wanted.filter((change) => !waiting.has(topField(change.path)))
  const chosen = free.length > 0 ? free : wanted
  const kept = [...fieldsOf(changes.filter((change) => !chosen.includes(change)))]
  const replaces = chosen.some((change) => kind.provider.replaceOn.includes(topField(change.path)))
  const incarnation = record?.incarnation ?? 1
  const action = draft(input, replaces ? "replace" : "update", chosen, incarnation)
  const desired = keepObserved(input, kept)
  return { kind: "action", action, desired, limitedChange: true, reported, kept }
}

const fieldsOf = (changes: readonly FieldChange[]): ReadonlySet<string> =>
  new Set(changes.map((change) => topField(change.path)))

function isLeftAlone(change: FieldChange, spec: LoopSpec): boolean {
  if (change.why === "drift") return onDriftOf(spec, change.path) === "Report"
  return change.why === "conflict" && onConflictOf(spec, change.path) === "ObservedWins"
}

/** The desired state in which these fields stay as they were observed. */
function keepObserved(input: ProposeInput, fields: readonly string[]): JsonObject {
  if (fields.length === 0 || input.observation.kind === "absent") return input.desired
  const observed = input.observation.value
  const kept = Object.fromEntries(fields.map((field) => [field, observed[field]]))
  return { ...input.desired, ...kept }
}

export function topField(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? path
}

function draft(
  input: ProposeInput,
  verb: Verb,
  changes: readonly FieldChange[],
  incarnation: number,
): Action {
  const { object, key, kind, loop, target, observation } = input
  const destroys = countDestroyed(effectsOf({ verb, changes }, kind.marks))
  return finishAction({
    verb,
    ...(destroys === 0 ? {} : { destroys }),
    uid: object.metadata.uid ?? "",
    object: key,
    kind: kind.provider.kind,
    loop,
    generation: object.metadata.generation ?? 0,
    incarnation,
    target,
    changes,
    ...(observation.kind === "present" ? { token: observation.token } : {}),
    cause: causeOf(input, verb, changes),
  })
}
