// How one loop stands, in numbers, for metrics and charts. Each costs the same with ten objects and
// with a hundred thousand.

import type { StopEntry } from "../contract/stop.ts"
import { allowedDeletes } from "../guard/delete-limit.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import type { Plane } from "./plane.ts"

export interface LoopFacts {
  readonly objects: number
  readonly converged: number
  readonly unconverged: number
  readonly oldestSeconds: number
  readonly inventory: number
  readonly held: number
  readonly planSeconds: number
  readonly deletesAllowed: number
  readonly deletesRemaining: number
  readonly changesAllowed: number
  readonly changesRemaining: number
  readonly observationSeconds: number
  readonly doubts: number
  /** Undefined without a source. */
  readonly sourceSeconds: number | undefined
  /** What a stop of the plane or of this loop forbids. */
  readonly stopped: "all" | "deletes" | "nothing"
}

/** What is asked for once for all loops. */
export interface PlaneMoment {
  /** Wall time. */
  readonly now: number
  /** Wall time at which the plane was opened. */
  readonly openedAt: number
  readonly stops: readonly StopEntry[]
  readonly deletesUsed: ReadonlyMap<string, number>
}

export function planeMoment(plane: Plane, openedAt: number): PlaneMoment {
  const { engine, ports } = plane
  const windowOf = (loop: string) => plane.loops.get(loop)?.spec.limits.windowMs ?? 0
  return {
    ...{ now: ports.clock.now(), openedAt },
    stops: ports.stop.entries(),
    deletesUsed: engine.ledger.budgets.deletesInWindows(windowOf),
  }
}

export function loopFacts({ engine }: Plane, loop: LoopEngine, moment: PlaneMoment): LoopFacts {
  const { id, spec } = loop
  const { budgets, inventory, time } = engine.ledger
  const { book } = engine.reporter
  const objects = engine.feed?.count(id) ?? 0
  const unconverged = book.count(id)
  const size = inventory.size(id)
  const allowed = allowedDeletes(spec.limits, {
    inventory: size,
    baseline: budgets.baseline(id, size),
  })
  const changes = spec.limits.changes
  const changesUsed = budgets.changesInWindow(id, spec.limits.windowMs)
  const since = (at: number) => Math.max(0, moment.now - at) / 1000
  const oldest = book.oldestSince(id)
  const plan = engine.plans.pending(id)
  const readAt = loop.sourceGoodAt
  return {
    objects,
    // What waits for its delete is as it was, and not as declared.
    converged: Math.max(0, Math.min(engine.settled.count(id), objects - unconverged)),
    unconverged,
    oldestSeconds: oldest === undefined ? 0 : since(oldest),
    inventory: size,
    held: loop.held.size,
    planSeconds: plan === undefined ? 0 : since(Date.parse(plan.createdAt)),
    deletesAllowed: allowed,
    deletesRemaining: Math.max(0, allowed - (moment.deletesUsed.get(id) ?? 0)),
    changesAllowed: changes,
    changesRemaining: Math.max(0, changes - changesUsed),
    observationSeconds: since(loop.lookedAt ?? moment.openedAt),
    doubts: loop.doubts.length + book.doubts(id),
    sourceSeconds:
      spec.source === undefined
        ? undefined
        : readAt === undefined
          ? since(moment.openedAt)
          : Math.max(0, time.now() - readAt) / 1000,
    stopped: stoppedIn(id, moment.stops),
  }
}

function stoppedIn(loop: string, stops: readonly StopEntry[]): LoopFacts["stopped"] {
  const own = stops.filter((stop) => {
    if (stop.provider !== undefined || stop.object !== undefined) return false
    return stop.loop === "*" || stop.loop === loop
  })
  if (own.some(({ scope }) => scope === "all")) return "all"
  return own.length > 0 ? "deletes" : "nothing"
}
