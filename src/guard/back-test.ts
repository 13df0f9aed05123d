// Judges recorded rounds again with other limits: the real guards over what they were told then.
// Pure. What was used of a window is counted anew, from what the other limits would have let pass;
// what came before the first recorded round is not known and counts as nothing.

import { isObject, type Json, type JsonObject } from "../base/json.ts"
import type { Action } from "../contract/action.ts"
import type { DeleteOrigin } from "../contract/delete-judge.ts"
import type { RoundAction, RoundInputs, RoundVerdict } from "../contract/journal.ts"
import type { LoopSpec } from "../contract/loop.ts"
import type { VerdictKind } from "../contract/verdict.ts"
import type { Effect } from "./effects.ts"
import { type JudgedAction, judgeAction, type LimitFacts, type RoundFacts } from "./guard.ts"
import { roundGuards } from "./guards.ts"
import { type DeleteFloor, judgeDeletes } from "./judge-deletes.ts"
import { windowState } from "./time-windows.ts"

export interface RecordedRound {
  readonly loop: string
  readonly sequence: number
  readonly time: string
  readonly inputs: RoundInputs
  readonly verdicts: readonly RoundVerdict[]
}

/** An action that would have been judged otherwise. */
export interface Difference {
  readonly object: string
  readonly verb: string
  readonly was: VerdictKind
  readonly wouldBe: VerdictKind
  readonly why: string
}

export interface TestedRound {
  readonly loop: string
  readonly sequence: number
  readonly time: string
  readonly set: RoundInputs["set"]
  readonly actions: number
  readonly differences: readonly Difference[]
}

interface Used {
  readonly at: number
  readonly deletes: number
  readonly changes: number
}

type Change = (spec: LoopSpec) => LoopSpec

/** Rounds of one loop, oldest first. */
export function backTest(rounds: readonly RecordedRound[], change: Change): TestedRound[] {
  const used: Used[] = []
  return rounds.map((round) => {
    const tested =
      round.inputs.set === "deletes"
        ? testDeletes(round, change, used)
        : testRound(round, change, used)
    const { loop, sequence, time, inputs } = round
    const { set, counts } = inputs
    return { loop, sequence, time, set, actions: counts.actions, differences: tested }
  })
}

function sum(used: readonly Used[], of: "deletes" | "changes", now: number, windowMs: number) {
  return used.reduce((total, one) => total + (one.at > now - windowMs ? one[of] : 0), 0)
}

function testRound(round: RecordedRound, change: Change, used: Used[]): Difference[] {
  const { inputs, verdicts } = round
  const now = Date.parse(round.time)
  const facts = roundFacts(round, change(recordedSpec(inputs)), used, now)
  let deletes = 0
  let changes = 0
  const differences = facts.actions.flatMap((item, index): Difference[] => {
    const verdict = judgeAction(item, facts, roundGuards)
    if (verdict.kind === "allow" && !item.approved) {
      if (item.limitedChange) changes++
      if (item.action.verb !== "delete") deletes += inputs.actions[index]?.destroys ?? 0
    }
    const was = verdicts[index]?.kind ?? "deny"
    const why = verdict.reasons[0]?.message ?? ""
    return differenceOf(item.action, was, verdict.kind, why)
  })
  used.push({ at: now, deletes, changes })
  return differences
}

function testDeletes(round: RecordedRound, change: Change, used: Used[]): Difference[] {
  const { inputs, verdicts, loop } = round
  const now = Date.parse(round.time)
  const spec = change(recordedSpec(inputs))
  const facts = inputs.facts ?? {}
  const byKind = isObject(facts.inventoryByKind) ? facts.inventoryByKind : {}
  const verdict = judgeDeletes({
    ...{ loop, spec },
    origin: String(facts.origin ?? "prune") as DeleteOrigin,
    principal:
      facts.principal === "human" || facts.principal === "agent" ? facts.principal : "service",
    // A large set is recorded in part; its size is not.
    kinds: Array.from({ length: inputs.counts.actions }, (_, index) => kindAt(inputs, index)),
    inventory: inputs.inventory,
    inventoryOf: (kind) => Number(byKind[kind] ?? inputs.inventory),
    baseline: inputs.baseline,
    deletesUsed: sum(used, "deletes", now, spec.limits.windowMs),
    restored: inputs.restored,
    floors: list<DeleteFloor>(facts.floors),
    protectedObjects: inputs.actions.flatMap(({ object, protectedBy }) =>
      protectedBy === undefined ? [] : [{ object, by: protectedBy }],
    ),
    ...shrunkOf(facts),
  })
  const deletes = verdict.kind === "allow" ? inputs.counts.actions : 0
  used.push({ at: now, deletes, changes: 0 })
  const was = verdicts[0]?.kind ?? "deny"
  const why = verdict.reasons[0]?.message ?? ""
  return inputs.actions.flatMap((action) => differenceOf(action, was, verdict.kind, why))
}

const kindAt = ({ actions }: RoundInputs, index: number): string =>
  (actions[index] ?? actions[0])?.kind ?? ""

function differenceOf(
  { object, verb }: Pick<Action, "object" | "verb">,
  was: VerdictKind,
  wouldBe: VerdictKind,
  why: string,
): Difference[] {
  return was === wouldBe ? [] : [{ object, verb, was, wouldBe, why }]
}

function roundFacts(
  { inputs, loop }: RecordedRound,
  spec: LoopSpec,
  used: readonly Used[],
  now: number,
): RoundFacts {
  const facts = inputs.facts ?? {}
  const { windowMs } = spec.limits
  const vanished = isObject(facts.vanished) ? facts.vanished : {}
  return {
    ...{ loop, spec, actions: inputs.actions.map((action) => judgedOf(loop, action)) },
    ...{ inventory: inputs.inventory, baseline: inputs.baseline, restored: inputs.restored },
    deletesUsed: sum(used, "deletes", now, windowMs),
    changesUsed: sum(used, "changes", now, windowMs),
    coldStart: facts.coldStart === true,
    floors: list<LimitFacts>(facts.floors),
    window: windowState(spec.windows, now),
    ...(typeof facts.sourceAgeMs === "number" ? { sourceAgeMs: facts.sourceAgeMs } : {}),
    vanished: new Map(
      Object.entries(vanished).flatMap(([kind, value]) => {
        if (!isObject(value)) return []
        const { gone, of, settling } = value
        return [[kind, { gone: Number(gone), of: Number(of), settling: settling === true }]]
      }),
    ),
  }
}

function judgedOf(loop: string, recorded: RoundAction): JudgedAction {
  const { uid, digest, object, kind, verb, destroys, limitedChange, rejectedBy, protectedBy } =
    recorded
  const effect: Effect = { kind: "delete", path: "", count: destroys }
  const missing = verb === "create" && limitedChange
  return {
    action: {
      ...{ verb, uid, object, kind, loop, generation: 0, incarnation: 1, target: object },
      changes: (recorded.fields ?? []).map(({ path, why }) => ({ path, why })),
      cause: { kind: missing ? "missing" : "edit", text: "" },
      digest: digest ?? uid,
    },
    ...{ fresh: recorded.fresh, adoptDeclared: recorded.adoptDeclared === true, limitedChange },
    ...{ approved: recorded.approved, granted: recorded.granted },
    flapping: recorded.flapping ?? [],
    effects: destroys === 0 ? [] : [effect],
    ...(rejectedBy === undefined ? {} : { rejectedBy }),
    ...(protectedBy === undefined ? {} : { protectedBy }),
  }
}

function shrunkOf({ shrunk }: JsonObject) {
  if (!isObject(shrunk)) return {}
  return { shrunk: { from: Number(shrunk.from), to: Number(shrunk.to) } }
}

/** Written by this program: the shape is what was written. */
const list = <T>(value: Json | undefined): readonly T[] =>
  Array.isArray(value) ? (value as readonly Json[] as readonly T[]) : []

const recordedSpec = ({ spec }: RoundInputs): LoopSpec => spec as Json as object as LoopSpec
