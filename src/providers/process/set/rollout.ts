// Which revision a set goes to, and whether it gets there: progress, the deadline, and the way
// back. All of it stands in the parent's status, so that a plane that was killed goes on where it
// was. A decision counts from the pass after it was written down, so that no crash can undo it
// half-way.

import { protects } from "../../../base/protections.ts"
import type { RevisionSource } from "./revision.ts"

export interface GoodRevision {
  readonly revision: string
  readonly source: RevisionSource
}

export interface FailedRevision {
  readonly revision: string
  readonly at: number
  readonly message: string
}

export interface Rollout {
  readonly revision: string
  readonly startedAt: number
  /** When it last came further than ever before. */
  readonly progressAt: number
  /** Most replicas of the revision that were available at once. */
  readonly best: number
  /** Fewest replicas of other revisions. */
  readonly left: number
  /** Wished when this was written: another number is another task, with its own time. */
  readonly replicas: number
  /** Somebody looks again until then; time after it in which nobody looked does not count. */
  readonly watchedUntil: number
}

export type RolloutResult = "Complete" | "RolledBack" | "Superseded"

export interface PastRollout {
  readonly revision: string
  readonly result: RolloutResult
  readonly startedAt: number
  readonly endedAt: number
}

/** What a set remembers. */
export interface SetMemory {
  /** The last revision with which all replicas were available. */
  readonly lastGood?: GoodRevision
  /** A declared revision that was given up; it is not tried again while it is declared. */
  readonly failed?: FailedRevision
  readonly rollout?: Rollout
  /** Newest first. */
  readonly history: readonly PastRollout[]
}

export const historyMax = 10

export interface RolloutFacts {
  readonly declared: GoodRevision
  readonly replicas: number
  /** Of the revision that is gone to: in service and available. */
  readonly available: number
  /** Of that revision, in service. */
  readonly current: number
  /** Of that revision, begun, and not available. */
  readonly failing: number
  /** Replicas of other revisions, those that are stopping too. */
  readonly others: number
  readonly deadlineMs: number
  readonly rollback: "Auto" | "Never"
}

/** Where the set goes: what is declared, or the last good one when that has failed. */
export function targetOf(memory: SetMemory, declared: GoodRevision): GoodRevision {
  const { failed, lastGood } = memory
  const gaveUp = failed?.revision === declared.revision && protects("failed-revision-stays-failed")
  return gaveUp && lastGood !== undefined ? lastGood : declared
}

export interface Judged {
  readonly memory: SetMemory
  /** The deadline has passed, and it does not go back. */
  readonly late: boolean
}

/** The memory after this pass; `facts` are about the target that the memory before it names. */
export function judgeRollout(memory: SetMemory, facts: RolloutFacts, now: number): Judged {
  const { declared } = facts
  const kept = memory.failed?.revision === declared.revision ? memory : without(memory)
  const target = targetOf(kept, declared)
  const settled = facts.current === facts.replicas && facts.available === facts.replicas
  if (settled && facts.others === 0)
    return { memory: finish(kept, target, facts, now), late: false }
  const news = facts.others > 0 || kept.lastGood?.revision !== target.revision
  if (!news) return { memory: withoutRollout(kept), late: false }
  const before = supersede(kept, target, now)
  const rollout = progress(before.rollout, target.revision, facts, now)
  const late = now - rollout.progressAt >= facts.deadlineMs
  const isBack = kept.lastGood === undefined || kept.lastGood.revision === target.revision
  // What was never begun, or waits for others to go, does not speak against a revision.
  const guilty = facts.failing > 0 || !protects("only-the-guilty-are-rolled-back")
  if (!late || isBack || !guilty || facts.rollback === "Never") {
    return { memory: { ...before, rollout }, late }
  }
  return { memory: giveUp(before, rollout, facts, now), late: false }
}

function without({ failed: _, ...memory }: SetMemory): SetMemory {
  return memory
}

function withoutRollout({ rollout: _, ...memory }: SetMemory): SetMemory {
  return memory
}

function finish(memory: SetMemory, target: GoodRevision, facts: RolloutFacts, now: number) {
  const { rollout, ...rest } = memory
  // Nothing was proven by no replicas.
  const lastGood = facts.replicas > 0 ? target : memory.lastGood
  const done = { ...rest, ...(lastGood === undefined ? {} : { lastGood }) }
  if (rollout === undefined || rollout.revision !== target.revision) return done
  return { ...done, history: remember(memory, rollout, "Complete", now) }
}

/** A rollout to something else that is under way ends here. */
function supersede(memory: SetMemory, target: GoodRevision, now: number): SetMemory {
  const { rollout, ...rest } = memory
  if (rollout === undefined || rollout.revision === target.revision) return memory
  return { ...rest, history: remember(memory, rollout, "Superseded", now) }
}

function giveUp(memory: SetMemory, rollout: Rollout, facts: RolloutFacts, now: number): SetMemory {
  const { rollout: _, ...rest } = memory
  const { available, replicas, deadlineMs } = facts
  const seconds = deadlineMs / 1000
  const message = `${available} of ${replicas} available, and no progress for ${seconds} s`
  return {
    ...rest,
    failed: { revision: rollout.revision, at: now, message },
    history: remember(memory, rollout, "RolledBack", now),
  }
}

function remember(
  { history }: SetMemory,
  { revision, startedAt }: Rollout,
  result: RolloutResult,
  now: number,
): readonly PastRollout[] {
  return [{ revision, result, startedAt, endedAt: now }, ...history].slice(0, historyMax)
}

function progress(
  before: Rollout | undefined,
  revision: string,
  { available, others, replicas, deadlineMs }: RolloutFacts,
  now: number,
): Rollout {
  const watch = watchMs(deadlineMs)
  if (before === undefined || before.replicas !== replicas) {
    const startedAt = before?.startedAt ?? now
    const from = { best: available, left: others, replicas }
    return { revision, startedAt, progressAt: now, ...from, watchedUntil: now + watch }
  }
  // Only a new best counts: replicas that come and go are no progress, however often they come.
  const best = Math.max(before.best, available)
  const left = Math.min(before.left, others)
  const further = best > before.best || left < before.left
  const away = Math.max(0, now - before.watchedUntil - watch)
  const since = Math.min(now, before.progressAt + (protects("absence-is-no-delay") ? away : 0))
  const looked = now >= before.watchedUntil || before.watchedUntil > now + 2 * watch
  return {
    ...before,
    ...{ best, left, progressAt: further ? now : since },
    watchedUntil: looked ? now + watch : before.watchedUntil,
  }
}

/** How often a rollout is looked at although nothing happens. */
export function watchMs(deadlineMs: number): number {
  return Math.max(1000, Math.floor(deadlineMs / 4))
}
