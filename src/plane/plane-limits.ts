// What the loops of a plane are judged by: the keeper of values in force, fed by Loop and
// GuardPolicy objects, and told by approved plans.

import { controllerFault } from "../controllers/faults.ts"
import { LooseningKeeper } from "../controllers/loosening-keeper.ts"
import type { HeldAction } from "../ledger/plan-ledger.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { unprotect } from "../reconcile/protection.ts"
import type { Plane } from "./plane.ts"
import { PolicyFeed } from "./policy-feed.ts"

export class PlaneLimits {
  readonly keeper: LooseningKeeper
  readonly #plane: Plane
  #feed: PolicyFeed | undefined

  constructor(plane: Plane) {
    this.#plane = plane
    const { engine } = plane
    this.keeper = new LooseningKeeper({
      ledger: engine.ledger,
      loopOf: (id) => plane.loops.get(id),
      heldChanged: (loop) => engine.plans.refresh(loop),
    })
    engine.execution.loosen = async (loop, held) => {
      const { target } = held.action
      if (target.startsWith("protect:")) return this.#unprotect(loop, held)
      await this.keeper.approved(held, plane.loops.objectOf(target.slice("loop:".length)))
      await plane.loops.refresh(target.startsWith("loop:") ? loop.id : undefined)
    }
  }

  /** Nothing else writes the record meanwhile; while an act is under way it is tried again. */
  async #unprotect(loop: LoopEngine, held: HeldAction): Promise<void> {
    const { engine } = this.#plane
    const { uid, object } = held.action
    if (loop.acting.has(uid)) {
      const cause = "its act is under way"
      throw controllerFault("SPT-OWN-005", { verb: "unprotect", object, cause })
    }
    loop.acting.add(uid)
    try {
      await unprotect(loop.id, uid, engine.ledger, held)
    } finally {
      loop.letGo(uid)
      engine.queue.add(object)
    }
  }

  /** Policies as they are now, then each change of one. */
  async start(enqueue: (task: () => Promise<void>) => void): Promise<void> {
    const { store, clock } = this.#plane.ports
    this.#feed = new PolicyFeed({
      ...{ store, clock },
      inForce: () => this.keeper.policies().map((policy) => policy.name),
      changed: async (name, object) => {
        await this.keeper.notePolicy(name, object)
        await this.#plane.loops.refresh()
      },
    })
    await this.#feed.start(enqueue)
  }

  async close(): Promise<void> {
    await this.#feed?.close()
  }
}
