// What the loops of a plane are judged by: the keeper of values in force, fed by Loop and
// GuardPolicy objects, and told by approved plans.

import { LooseningKeeper } from "../controllers/loosening-keeper.ts"
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
      const { target, uid } = held.action
      if (target.startsWith("protect:")) return unprotect(loop.id, uid, engine.ledger, held)
      await this.keeper.approved(held, plane.loops.objectOf(target.slice("loop:".length)))
      await plane.loops.refresh(target.startsWith("loop:") ? loop.id : undefined)
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
