// The level trigger of one loop: looks at every target, forgets permissions that lie outside every
// window, and notes how large the loop is when it is converged.

import { enginePrincipal } from "../contract/principal.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import type { Plane } from "./plane.ts"
import { countCleanRound } from "./trust-ramp.ts"

const grantsKeptMs = 24 * 3_600_000
/** So long after a verdict its commit is through, or will never be. */
const commitMsMax = 60_000

export async function lookAtLoop(plane: Plane, loop: LoopEngine): Promise<void> {
  const { engine, ports } = plane
  await plane.object.publish() // The stop file may have been written by hand.
  // What the last look found is known by now; this one's passes come later.
  if (loop.lookedAt !== undefined && countCleanRound(plane, loop)) await plane.publish(loop)
  await plane.promotions.count(loop)
  // Asked before the sweep: kinds that are read one by one are all woken by it.
  const converged = isConverged(plane, loop.id)
  const swept = await engine.sweep(loop)
  await forgetOldGrants(plane, loop)
  await giveBackUnmarked(plane, loop)
  loop.doubts = swept.doubts
  await engine.states.sees(loop.id, swept.blind)
  if (swept.doubts.length === 0) loop.lookedAt = ports.clock.now()
  if (!converged) return
  const { budgets, inventory } = engine.ledger
  const write = budgets.noteInventory(loop.id, inventory.size(loop.id))
  if (write !== undefined) await engine.ledger.note(loop.id, enginePrincipal, [], [write])
}

function isConverged({ engine }: Plane, loop: string): boolean {
  const { reporter, settled, feed } = engine
  if (reporter.unconverged(loop).length > 0) return false
  return settled.count(loop) >= (feed?.count(loop) ?? 0)
}

/** Permissions that were used and lie outside every window, policies' too, are forgotten. */
async function forgetOldGrants({ engine }: Plane, { id, spec }: LoopEngine): Promise<void> {
  const { budgets, inventory } = engine.ledger
  const windows = [spec.limits, ...spec.floors.map((floor) => floor.limits)]
  const keepMs = Math.max(grantsKeptMs, ...windows.map(({ windowMs }) => windowMs))
  const writes = budgets.expired(id, keepMs, (uid) => inventory.mayOwn(uid))
  if (writes.length > 0) await engine.ledger.note(id, enginePrincipal, [], writes)
}

/** A delete that was permitted and whose mark was refused after all has to be judged again. */
async function giveBackUnmarked({ engine }: Plane, { id }: LoopEngine): Promise<void> {
  const { feed, ledger } = engine
  const { budgets } = ledger
  const before = budgets.now() - commitMsMax
  const writes = [...(feed?.keys(id) ?? [])].flatMap((key) => {
    const entry = feed?.entry(key)
    const grant = entry === undefined ? undefined : budgets.grantOf(entry.uid)
    if (grant === undefined || entry?.marked !== false) return []
    if (grant.plan !== undefined || grant.at > before) return []
    return budgets.revoke(grant.uid) ?? []
  })
  if (writes.length > 0) await ledger.note(id, enginePrincipal, [], writes)
}
