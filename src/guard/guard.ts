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
  return strictest(verdicts)
}
