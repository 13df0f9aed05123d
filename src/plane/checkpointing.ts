// Checkpoints and rollback of a plane: wires what keeps, names and returns to them to the loops and
// the engine. Nothing here decides anything.

import { CheckpointKeeper } from "../controllers/checkpoint-keeper.ts"
import { NamedCheckpoints } from "../controllers/named-checkpoints.ts"
import { Rollbacks } from "../controllers/rollback.ts"
import type { Quarantine } from "../ledger/quarantines.ts"
import { sourceAnnotation } from "../object/object.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import type { Plane } from "./plane.ts"

export class Checkpointing {
  readonly #plane: Plane
  readonly keeper: CheckpointKeeper
  readonly named: NamedCheckpoints
  readonly rollbacks: Rollbacks

  constructor(plane: Plane) {
    this.#plane = plane
    const { engine, loops, ports } = plane
    const { ledger } = engine
    const { clock } = ports
    ledger.checkpoints.breathe = async () => engine.breath.due()
    this.keeper = new CheckpointKeeper({
      ...{ clock, ledger },
      exists: (loop) => loops.get(loop) !== undefined,
      hasSource: (loop) => loops.sourceOf(loop) !== undefined,
      inForce: (loop) => loops.sourceOf(loop)?.inForce,
      converged: (loop) => this.#converged(loop),
      keysOf: (loop) => engine.feed?.keys(loop) ?? [],
      stateOf: (key) => engine.feed?.entry(key),
      object: async (key) => engine.feed?.object(key),
      kept: (loop) => this.#kept(loop),
      failed: (error) => engine.failed(error),
    })
    const present = (loop: string) => this.keeper.present(loop)
    this.named = new NamedCheckpoints({ clock, ledger, present })
    this.rollbacks = this.#newRollbacks()
  }

  /** After the loops are known: what was kept before a restart is compared once. */
  start(): void {
    const { loops, engine } = this.#plane
    const touched = (key: string) => this.keeper.objectChanged(key, withoutSource())
    const withoutSource = () => loops.all().map(({ id }) => id)
    engine.feed?.onChange(touched)
    for (const { id } of loops.all()) this.keeper.touched(id)
  }

  close(): void {
    this.keeper.close()
  }

  /** The source's state changed: what it declares may be another. */
  sourceChanged(loop: LoopEngine): void {
    this.keeper.touched(loop.id)
  }

  movedOn(loop: LoopEngine, { checkpoint }: Quarantine, revision: string): void {
    const shown = revision.slice(0, 12)
    const text = `the rollback to ${checkpoint} ended: the source shows revision ${shown}`
    this.#plane.engine.events.rollback(loop.id, text, true)
  }

  /** Loops without a source explain by a rollback only until it is done. */
  #kept(id: string): void {
    const loop = this.#plane.loops.get(id)
    if (loop?.rollback?.uids !== undefined) loop.rollback = undefined
  }

  #newRollbacks(): Rollbacks {
    const { engine, loops, ports } = this.#plane
    return new Rollbacks({
      ...{ clock: ports.clock, ledger: engine.ledger, checkpoints: this.named },
      verbs: {
        get: (...args) => this.#plane.api.verbs.get(...args),
        create: (...args) => this.#plane.api.verbs.create(...args),
        update: (...args) => this.#plane.api.verbs.update(...args),
        deleteSet: (...args) => this.#plane.api.verbs.deleteSet(...args),
      },
      loopOf: (id) => loops.get(id),
      sourceOf: (id) => loops.sourceOf(id),
      servedKind: (group, kind) => this.#plane.servedKind(group, kind),
      replaceOn: (group, kind) => {
        const found = engine.kinds.find(
          ({ provider }) => provider.group === group && provider.kind === kind,
        )
        return found?.provider.replaceOn ?? []
      },
      pendingPlan: (loop) => engine.plans.pending(loop)?.name,
      told: async (loop, text, ended) => {
        engine.events.rollback(loop.id, text, ended)
        await this.#plane.publish(loop)
      },
    })
  }

  async #converged(id: string): Promise<boolean> {
    const { engine, loops } = this.#plane
    const { feed, reporter, settled, plans } = engine
    const loop = loops.get(id)
    if (loop === undefined || feed === undefined) return false
    const waits = loop.acting.size > 0 || loop.held.all().length > 0
    if (waits || plans.pending(id) !== undefined) return false
    if (reporter.unconverged(id).length > 0) return false
    const keeper = loops.sourceOf(id)
    if (keeper !== undefined) {
      if (keeper.state.kind !== "good" || keeper.inForce === undefined) return false
      for (const [key, revision] of keeper.writtenAt) {
        // The engine may not have heard of it yet.
        if (!keeper.inForce.placement.declared.has(key)) continue
        if (feed.kindOf(key) !== undefined && (feed.entry(key)?.revision ?? 0) < revision)
          return false
      }
    }
    for (const key of [...feed.keys(id)]) {
      const [entry, known] = [feed.entry(key), settled.get(key)]
      if (entry?.uid !== known?.uid || entry?.generation !== known?.generation) return false
      if (keeper?.inForce?.placement.declared.has(key) !== false) continue
      const object = await feed.object(key)
      if (object?.metadata.annotations?.[sourceAnnotation] !== undefined) return false
    }
    return true
  }
}
