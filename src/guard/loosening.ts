// What becomes looser when a loop or a policy is declared anew. Pure. Each rule knows one field,
// which way is looser, and how to keep the tighter value until a person has approved the other.

import { equalJson, type Json, toPlainJson } from "../base/json.ts"
import type { FieldChange } from "../contract/action.ts"
import type { GuardPolicy } from "../contract/guard-policy.ts"
import type { LimitFloor, LoopLimits, LoopSpec, Mode, TimeWindow } from "../contract/loop.ts"
import { onConflictOf, onDriftOf } from "./path-policy.ts"

interface Rule<T> {
  readonly path: string
  value(spec: T): Json
  isLooser(before: T, after: T): boolean
  /** `after` with this field as it was before. */
  keep(before: T, after: T): T
}

export interface Loosening<T> {
  /** What counts now: tighter values at once, looser ones not yet. */
  readonly inForce: T
  /** What waits for an approval. */
  readonly waiting: readonly FieldChange[]
}

export function loosenLoop(before: LoopSpec, after: LoopSpec): Loosening<LoopSpec> {
  return loosen(loopRules, before, after)
}

export function loosenPolicy(before: GuardPolicy, after: GuardPolicy): Loosening<GuardPolicy> {
  return loosen(policyRules, before, after)
}

/** Where the rules of one loop are looser than those of another, policies included. */
export function looserIn(one: LoopSpec, other: LoopSpec): readonly string[] {
  const has = (floor: LimitFloor) =>
    other.floors.some((same) => equalJson(toPlainJson(same), toPlainJson(floor)))
  const kept = one.protectedKinds.every((kind) => other.protectedKinds.includes(kind))
  return [
    ...(modes.indexOf(other.mode) > modes.indexOf(one.mode) ? ["spec.mode"] : []),
    ...loosenLoop(one, other).waiting.map((change) => change.path),
    ...one.floors.filter((floor) => !has(floor)).map((floor) => `policy ${floor.by}`),
    ...(kept ? [] : ["protected kinds of a policy"]),
  ]
}

/** The further right, the more it does by itself. */
const modes: readonly Mode[] = ["Observe", "Propose", "Enforce"]

function loosen<T>(rules: readonly Rule<T>[], before: T, after: T): Loosening<T> {
  let inForce = after
  const waiting: FieldChange[] = []
  for (const rule of rules) {
    if (!rule.isLooser(before, after)) continue
    const change = { path: rule.path, before: rule.value(before), after: rule.value(after) }
    waiting.push({ ...change, why: "requested" })
    inForce = rule.keep(before, inForce)
  }
  return { inForce, waiting }
}

type Limit = "deletes" | "deletesPercent" | "changes" | "windowMs" | "shrinkPercent"

function limitRule(name: Limit, looser: "higher" | "lower"): Rule<LoopSpec> {
  return {
    path: `spec.limits.${name === "windowMs" ? "window" : name}`,
    value: ({ limits }) => limits[name],
    isLooser: (before, after) =>
      looser === "higher"
        ? after.limits[name] > before.limits[name]
        : after.limits[name] < before.limits[name],
    keep: (before, after) => ({
      ...after,
      limits: { ...after.limits, [name]: before.limits[name] },
    }),
  }
}

type Choice = "onEmpty" | "onVanish" | "onDrift" | "onConflict"

/** A choice of which one value is loose. */
function choiceRule<K extends Choice>(name: K, loose: LoopSpec[K]): Rule<LoopSpec> {
  return {
    path: `spec.${name}`,
    value: (spec) => spec[name],
    isLooser: (before, after) => before[name] !== loose && after[name] === loose,
    keep: (before, after) => ({ ...after, [name]: before[name] }),
  }
}

const loopRules: readonly Rule<LoopSpec>[] = [
  limitRule("deletes", "higher"),
  limitRule("deletesPercent", "higher"),
  limitRule("changes", "higher"),
  limitRule("windowMs", "lower"),
  limitRule("shrinkPercent", "lower"),
  choiceRule("onEmpty", "Allow"),
  choiceRule("onVanish", "Correct"),
  choiceRule("onDrift", "Correct"),
  choiceRule("onConflict", "DeclaredWins"),
  {
    path: "spec.paths",
    value: (spec) => toPlainJson(spec.paths),
    isLooser: (before, after) => pathsActMore(before, after),
    keep: (before, after) => ({ ...after, paths: before.paths }),
  },
  {
    path: "spec.sourceMaxAge",
    value: (spec) => spec.sourceMaxAgeMs,
    isLooser: (before, after) => after.sourceMaxAgeMs > before.sourceMaxAgeMs,
    keep: (before, after) => ({ ...after, sourceMaxAgeMs: before.sourceMaxAgeMs }),
  },
  {
    path: "spec.approvals",
    value: (spec) => toPlainJson(spec.approvals),
    isLooser: (before, after) => fewerApprovals(before.approvals, after.approvals),
    keep: (before, after) => ({ ...after, approvals: before.approvals }),
  },
  {
    path: "spec.windows",
    value: (spec) => toPlainJson(spec.windows),
    isLooser: (before, after) => moreTime(before.windows, after.windows),
    keep: (before, after) => ({ ...after, windows: before.windows }),
  },
]

const policyRules: readonly Rule<GuardPolicy>[] = [
  {
    path: "spec.loops",
    value: (policy) => [...policy.loops],
    isLooser: (before, after) => !before.loops.every((one) => after.loops.includes(one)),
    keep: (before, after) => ({ ...after, loops: before.loops }),
  },
  {
    path: "spec.limits",
    value: (policy) => toPlainJson(policy.limits ?? {}),
    isLooser: ({ limits: before }, { limits: after }) => {
      if (before === undefined) return false
      if (after === undefined) return true
      return (
        after.deletes > before.deletes ||
        after.deletesPercent > before.deletesPercent ||
        after.changes > before.changes ||
        after.windowMs < before.windowMs
      )
    },
    keep: ({ limits: before }, after) => {
      if (before === undefined) return after
      return {
        ...after,
        limits: after.limits === undefined ? before : tighter(before, after.limits),
      }
    },
  },
  {
    path: "spec.everywhere",
    value: (policy) => toPlainJson(policy.everywhere ?? {}),
    isLooser: ({ everywhere: before }, { everywhere: after }) => {
      if (before === undefined) return false
      if (after === undefined) return true
      return after.deletes > before.deletes || after.windowMs < before.windowMs
    },
    keep: ({ everywhere: before }, after) => {
      if (before === undefined) return after
      const { deletes, windowMs } = after.everywhere ?? before
      const everywhere = {
        deletes: Math.min(before.deletes, deletes),
        windowMs: Math.max(before.windowMs, windowMs),
      }
      return { ...after, everywhere }
    },
  },
  {
    path: "spec.protectedKinds",
    value: (policy) => [...policy.protectedKinds],
    isLooser: (before, after) =>
      !before.protectedKinds.every((kind) => after.protectedKinds.includes(kind)),
    keep: (before, after) => ({ ...after, protectedKinds: before.protectedKinds }),
  },
  {
    path: "spec.approvals",
    value: (policy) => toPlainJson(policy.approvals),
    isLooser: (before, after) => fewerApprovals(before.approvals, after.approvals),
    keep: (before, after) => ({ ...after, approvals: before.approvals }),
  },
  {
    path: "spec.freezes",
    value: (policy) => toPlainJson(policy.freezes),
    isLooser: (before, after) => moreTime(before.freezes, after.freezes),
    keep: (before, after) => ({ ...after, freezes: before.freezes }),
  },
]

/** A change that is looser in one field and tighter in another counts where it is tighter. */
function tighter(before: LoopLimits, after: LoopLimits): LoopLimits {
  return {
    deletes: Math.min(before.deletes, after.deletes),
    deletesPercent: Math.min(before.deletesPercent, after.deletesPercent),
    changes: Math.min(before.changes, after.changes),
    windowMs: Math.max(before.windowMs, after.windowMs),
    shrinkPercent: Math.max(before.shrinkPercent, after.shrinkPercent),
  }
}

type Approvals = GuardPolicy["approvals"]

function fewerApprovals(before: Approvals, after: Approvals): boolean {
  if (after.required < before.required) return true
  if (before.separateAuthor && !after.separateAuthor) return true
  if (before.approvers.length === 0) return false
  return after.approvers.length === 0 || !isPart(after.approvers, before.approvers)
}

const isPart = (part: readonly string[], whole: readonly string[]) =>
  part.every((one) => whole.includes(one))

/** Whether a field that was left alone or held would now be written over. */
function pathsActMore(before: LoopSpec, after: LoopSpec): boolean {
  return [...before.paths, ...after.paths].some(({ path }) => {
    const drift = (spec: LoopSpec) => onDriftOf(spec, path) === "Correct"
    const conflict = (spec: LoopSpec) => onConflictOf(spec, path) === "DeclaredWins"
    return (!drift(before) && drift(after)) || (!conflict(before) && conflict(after))
  })
}

/** Whether there may be an instant that was closed before and is open now. */
function moreTime(before: readonly TimeWindow[], after: readonly TimeWindow[]): boolean {
  const has = (windows: readonly TimeWindow[], one: TimeWindow) =>
    windows.some((other) => equalJson(toPlainJson(other), toPlainJson(one)))
  const frozen = before.filter(({ kind }) => kind === "Freeze")
  if (!frozen.every((one) => has(after, one))) return true
  const opens = before.filter(({ kind }) => kind === "Open")
  if (opens.length === 0) return false
  const still = after.filter(({ kind }) => kind === "Open")
  return still.length === 0 || !still.every((one) => has(opens, one))
}
