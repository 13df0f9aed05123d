// Where invariants meet a round: they judge last, over the actions that every other guard lets
// through, since only those will happen.

import type { Observation } from "../contract/observation.ts"
import type { Verdict } from "../contract/verdict.ts"
import { type JudgedAction, judgeAction, type RoundFacts } from "../guard/guard.ts"
import { invariantGuard } from "../guard/invariant-guard.ts"
import type { InvariantFacts } from "../guard/judge-invariant.ts"
import type { Subject } from "./look.ts"
import type { Proposal } from "./proposal.ts"

/** What the engine tells invariants of. */
export interface InvariantHooks {
  /** A pass looked at the target. */
  seen(subject: Subject, observation: Observation): void
  acted(loop: string, uid: string): void
  objectChanged(key: string): void
}

interface Item {
  readonly proposal: Proposal
  readonly item: JudgedAction
  readonly verdict: Verdict
}

export function judgeByInvariants<T extends Item>(
  judged: readonly T[],
  facts: RoundFacts,
  judge: ((proposals: readonly Proposal[]) => InvariantFacts | undefined) | undefined,
): readonly T[] {
  const open = judged.filter(({ verdict }) => verdict.kind === "allow")
  if (judge === undefined || open.length === 0) return judged
  const invariants = judge(open.map(({ proposal }) => proposal))
  if (invariants === undefined) return judged
  const known: RoundFacts = { ...facts, invariants }
  return judged.map((one) => {
    if (one.verdict.kind !== "allow") return one
    return { ...one, verdict: judgeAction(one.item, known, [invariantGuard]) }
  })
}
