// Where invariants meet a round: they judge last, over the actions that every other guard lets
// through, since only those will happen. What would wait for a person is judged too: nobody shall
// approve what would be denied afterwards.

import type { Observation } from "../contract/observation.ts"
import { strictest, type Verdict } from "../contract/verdict.ts"
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

/** What invariants say of actions that go at once, and of those that would wait for a person. */
export type InvariantJudge = (
  open: readonly Proposal[],
  held: readonly Proposal[],
) => InvariantFacts | undefined

export function judgeByInvariants<T extends Item>(
  judged: readonly T[],
  facts: RoundFacts,
  judge: InvariantJudge | undefined,
): readonly T[] {
  const of = (kind: Verdict["kind"]) =>
    judged.filter(({ verdict }) => verdict.kind === kind).map(({ proposal }) => proposal)
  const [open, held] = [of("allow"), of("hold")]
  if (judge === undefined || open.length + held.length === 0) return judged
  const invariants = judge(open, held)
  if (invariants === undefined) return judged
  const known: RoundFacts = { ...facts, invariants }
  return judged.map((one) => {
    if (one.verdict.kind !== "allow" && one.verdict.kind !== "hold") return one
    const said = judgeAction(one.item, known, [invariantGuard])
    return { ...one, verdict: strictest([said, one.verdict]) }
  })
}
