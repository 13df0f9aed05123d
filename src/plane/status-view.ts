// How the plane stands: every loop with its counts, the oldest object that is not converged and
// why, what is stopped, what waits.

import { toTimestamp } from "../base/clock.ts"
import { resumeWords, stopText } from "../contract/stop.ts"
import { promotionView } from "../controllers/promotion.ts"
import { allowedDeletes } from "../guard/delete-limit.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import type { Unconverged } from "../reconcile/reporter.ts"
import { glassView } from "./break-glass-keeper.ts"
import { sourceView } from "./loop-status.ts"
import type { Plane } from "./plane.ts"
import { lastGoodView, rollbackView } from "./rollback-view.ts"
import type { Sight } from "./route-access.ts"
import { seenStops } from "./stop-routes.ts"

export function planeStatus(plane: Plane, sight: Sight): object {
  const { engine, ports } = plane
  const { identity, revision } = ports.store
  const stops = seenStops(ports.stop.entries(), sight)
  return {
    plane: identity.planeId,
    epoch: identity.epoch,
    restored: identity.restored,
    revision,
    stops: stops.map((entry) => ({ ...entry, text: stopText(entry), resume: resumeWords(entry) })),
    breakGlass: plane.glass
      .all()
      .filter(({ loop }) => sight.loop(loop))
      .map(glassView),
    inFlight: engine.actuator.inFlight.count,
    queue: { depth: engine.queue.depth(), oldestMs: Math.round(engine.queue.oldestAgeMs()) },
    // Their names are those of servers, and say where the targets of others are.
    connections: sight.plane() ? engine.connections.troubled() : [],
    backups: sight.plane() ? plane.backups?.status() : undefined,
    ...(plane.sealing.trouble === undefined ? {} : { secrets: plane.sealing.trouble }),
    loops: plane.loops
      .all()
      .filter(({ id }) => sight.loop(id))
      .map((loop) => loopView(plane, loop)),
  }
}

function loopView(plane: Plane, loop: LoopEngine): object {
  const { engine } = plane
  const { budgets, inventory } = engine.ledger
  const unconverged = engine.reporter.unconverged(loop.id)
  const states: Record<string, number> = {}
  for (const { state } of unconverged) states[state] = (states[state] ?? 0) + 1
  const classes: Record<string, number> = {}
  for (const { diagnosis } of unconverged) {
    if (diagnosis !== undefined) classes[diagnosis.class] = (classes[diagnosis.class] ?? 0) + 1
  }
  const source = plane.loops.sourceState(loop.id)
  const promotion = plane.promotions.of(loop.id)
  const plan = engine.plans.pending(loop.id)
  const size = inventory.size(loop.id)
  const baseline = budgets.baseline(loop.id, size)
  const { limits } = loop.spec
  return {
    id: loop.id,
    mode: loop.spec.mode,
    intervalMs: loop.spec.intervalMs,
    ...(source === undefined ? {} : { source: sourceView(source) }),
    sourceDescription: plane.loops.sourceOf(loop.id)?.description,
    ...(promotion === undefined ? {} : { promotion: promotionView(promotion) }),
    objects: engine.feed?.count(loop.id) ?? 0,
    converged: convergedCount(plane, loop.id),
    inventory: size,
    states,
    classes,
    orphans: engine.ledger.orphans.count(loop.id),
    oldest: unconverged[0] === undefined ? undefined : oldestView(unconverged[0]),
    rollback: rollbackView(engine.ledger, loop.id, plane.loops.sourceOf(loop.id)?.lost),
    lastGood: lastGoodView(engine.ledger, loop.id),
    plan: plan === undefined ? undefined : { name: plan.name, actions: plan.held.length },
    deletes: {
      used: budgets.deletesInWindow(loop.id, limits.windowMs),
      allowed: allowedDeletes(limits, { inventory: size, baseline }),
    },
    changes: { used: budgets.changesInWindow(loop.id, limits.windowMs), allowed: limits.changes },
    doubts: loop.doubts,
    invariants: plane.invariants.keeper.troubled(loop.id),
    lastRound:
      loop.lastRound === undefined
        ? undefined
        : { ...loop.lastRound, time: toTimestamp(loop.lastRound.at) },
  }
}

/** As declared, and nothing waits for it: what is as it was and shall go is not converged. */
export function convergedCount({ engine }: Plane, loop: string): number {
  const waiting = engine.reporter.unconverged(loop)
  const settled = waiting.filter(({ key }) => engine.settled.get(key) !== undefined)
  return engine.settled.count(loop) - settled.length
}

function oldestView({ key, state, reason, message, since, diagnosis }: Unconverged): object {
  const why = { class: diagnosis?.class, next: diagnosis?.next }
  return { object: key, state, reason, message, since: toTimestamp(since), ...why }
}
