// What guards see and say. A guard is pure: it looks at one proposed action and the facts of its
// round and answers; it never acts. No opinion is written as undefined; an exception is a deny.

import { protects } from "../base/protections.ts"
import type { Action } from "../contract/action.ts"
import type { LoopSpec } from "../contract/loop.ts"
import {
  allow,
  type Reason,
  strictest,
  type Verdict,
  type VerdictKind,
} from "../contract/verdict.ts"
import { type BreakGlassFacts, liftedBy } from "./break-glass.ts"
import { allowedDeletes } from "./delete-limit.ts"
import { countDestroyed, type Effect } from "./effects.ts"
import type { InvariantFacts } from "./judge-invariant.ts"
import type { WindowState } from "./time-windows.ts"
import type { WaveFacts } from "./wave-guard.ts"

export interface JudgedAction {
  readonly action: Action
  /** The read began after the round opened and after our last write there. */
  readonly fresh: boolean
  /** The manifest itself says `adopt: true`. */
  readonly adoptDeclared: boolean
  /** An update, replace or re-creation; a first creation is not a limited change. */
  readonly limitedChange: boolean
  /** A person approved exactly this digest. */
  readonly approved: boolean
  /** Deletes only: permission given when the object was marked, for the target as it was then. */
  readonly granted: "yes" | "changed" | "no"
  /** Field paths corrected too often lately. */
  readonly flapping: readonly string[]
  /** Who rejected it, while the rejection stands. */
  readonly rejectedBy?: string
  /** What it destroys, by effect. */
  readonly effects: readonly Effect[]
  /** Its destruction was counted under a break-glass when it was marked. */
  readonly paidByGlass?: boolean
  /** In which wave of its loop it is; 0 when missing. */
  readonly wave?: number
  /** What protects the object, for people; undefined when nothing does. */
  readonly protectedBy?: string
}

/** One limit with what is used of it. */
export interface LimitFacts {
  /** "the loop" or the name of a policy. */
  readonly by: string
  readonly windowMs: number
  /** What may be destroyed in a window, the share of the inventory included. */
  readonly allowed: number
  readonly deletesUsed: number
  readonly changes: number
  readonly changesUsed: number
}

/** Targets of a kind that are gone although they are ours and declared. */
export interface Vanished {
  readonly gone: number
  readonly of: number
  /** Others may be gone too: they are being looked at. */
  readonly settling: boolean
}

export interface RoundFacts {
  readonly loop: string
  readonly spec: LoopSpec
  readonly actions: readonly JudgedAction[]
  readonly inventory: number
  readonly baseline: number
  readonly deletesUsed: number
  readonly changesUsed: number
  /** Content came from a backup and has not been fully observed since. */
  readonly restored: boolean
  /** Not every object was looked at since the plane started. */
  readonly coldStart: boolean
  /** Limits of policies, besides the loop's own. */
  readonly floors: readonly LimitFacts[]
  /** A person's word that lifts limits for a time. */
  readonly breakGlass?: BreakGlassFacts
  readonly window: WindowState
  /** Ledger milliseconds since the source was last read well; undefined without a source. */
  readonly sourceAgeMs?: number
  /** By kind. */
  readonly vanished: ReadonlyMap<string, Vanished>
  /** How far the waves are; missing where there are none. */
  readonly waves?: WaveFacts
  /** Judged last, over what the other guards let through. */
  readonly invariants?: InvariantFacts
}

/** The loop's own limit first, then those of policies. */
export function limitsOf(facts: RoundFacts): readonly LimitFacts[] {
  const { limits } = facts.spec
  const own: LimitFacts = {
    by: "the loop",
    windowMs: limits.windowMs,
    allowed: allowedDeletes(limits, facts),
    deletesUsed: facts.deletesUsed,
    changes: limits.changes,
    changesUsed: facts.changesUsed,
  }
  return [own, ...facts.floors]
}

export interface Guard {
  readonly name: string
  judge(item: JudgedAction, facts: RoundFacts): Verdict | undefined
}

export function verdict(kind: VerdictKind, reason: Reason): Verdict {
  return { kind, reasons: [reason] }
}

/** The strictest answer wins and all reasons are kept. */
export function judgeAction(
  item: JudgedAction,
  facts: RoundFacts,
  guards: readonly Guard[],
): Verdict {
  const verdicts = guards.map((guard): Verdict => {
    try {
      return guard.judge(item, facts) ?? allow()
    } catch (error) {
      if (!protects("guard-failure-denies")) return allow()
      const message = `guard ${guard.name} failed: ${String(error)}`
      return verdict("deny", { guard: guard.name, code: "GuardFailed", message })
    }
  })
  return liftedBy(facts.breakGlass, strictest(verdicts), destroyedUnderGlass(facts))
}

const underGlassSums = new WeakMap<RoundFacts, number>()

/** What all actions of the round that nobody approved or paid for would destroy together. */
function destroyedUnderGlass(facts: RoundFacts): number {
  if (facts.breakGlass === undefined) return 0
  let sum = underGlassSums.get(facts)
  if (sum === undefined) {
    const drawing = facts.actions.filter((item) => !item.approved && item.paidByGlass !== true)
    sum = drawing.reduce((total, item) => total + countDestroyed(item.effects), 0)
    underGlassSums.set(facts, sum)
  }
  return sum
}
