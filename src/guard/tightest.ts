// What a loop works with: its own word and every policy that covers it, the stricter one of each.
// Limits with windows of different lengths can't be compared, so each of them counts by itself.

import { covers, type GuardPolicy } from "../contract/guard-policy.ts"
import type { ApprovalRules, LimitFloor, LoopSpec } from "../contract/loop.ts"

export const unlimited = 1_000_000_000

export function tightest(loop: string, spec: LoopSpec, policies: readonly GuardPolicy[]): LoopSpec {
  const own = policies.filter((policy) => covers(policy, loop))
  if (own.length === 0) return spec
  return {
    ...spec,
    windows: [...spec.windows, ...own.flatMap((policy) => policy.freezes)],
    approvals: own.reduce(stricterApprovals, spec.approvals),
    floors: own.flatMap(floorsOf),
    protectedKinds: [...new Set(own.flatMap((policy) => policy.protectedKinds))],
  }
}

export function stricterApprovals(rules: ApprovalRules, { approvals }: GuardPolicy): ApprovalRules {
  return {
    ...rules,
    required: Math.max(rules.required, approvals.required),
    separateAuthor: rules.separateAuthor || approvals.separateAuthor,
    approvers: commonApprovers(rules.approvers, approvals.approvers),
  }
}

/** An empty list names anyone. When nobody is in both, nobody may: a name that nobody has. */
function commonApprovers(left: readonly string[], right: readonly string[]): readonly string[] {
  if (left.length === 0) return right
  if (right.length === 0) return left
  const both = left.filter((name) => right.includes(name))
  return both.length === 0 ? ["setpoint:nobody"] : both
}

function floorsOf({ name, limits, everywhere }: GuardPolicy): LimitFloor[] {
  const floors: LimitFloor[] = []
  if (limits !== undefined) floors.push({ by: name, limits, everywhere: false })
  if (everywhere !== undefined) {
    const { deletes, windowMs } = everywhere
    const all = { deletes, deletesPercent: 100, changes: unlimited, windowMs, shrinkPercent: 0 }
    floors.push({ by: name, limits: all, everywhere: true })
  }
  return floors
}
