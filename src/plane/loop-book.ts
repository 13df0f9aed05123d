// The loops of the plane: follows the Loop objects, keeps an engine and a source for each, and
// looks at everything again on each loop's timer.

import type { Clock, Timer } from "../base/clock.ts"
import { at, equalJson, type Json } from "../base/json.ts"
import { type LoopSource, type LoopSpec, loopId } from "../contract/loop.ts"
import type { Source } from "../contract/source.ts"
import { SourceKeeper, type SourceKeeperPorts } from "../controllers/source-keeper.ts"
import type { SourceState } from "../controllers/source-state.ts"
import type { ApiObject } from "../object/object.ts"
import { LoopEngine, type LoopEnginePorts } from "../reconcile/loop-engine.ts"

export interface LoopBookPorts {
  readonly clock: Clock
  readonly engine: LoopEnginePorts
  readonly source: SourceKeeperPorts
  openSource(source: LoopSource, loop: string): Source
  /** What a Loop object means now, policies and approved loosenings included. */
  specOf(object: ApiObject): LoopSpec
  /** Notes what is declared and puts what it loosens into the loop's plan. */
  declared(loop: LoopEngine, object: ApiObject): Promise<void>
  /** What the ledger remembers as held goes back into a new engine. */
  restoreHeld(loop: LoopEngine): void
  /** The level trigger. */
  sweep(loop: LoopEngine): Promise<void>
  /** Every object of this loop has to be looked at. */
  wakeAll(loop: string): void
  failed(error: unknown): void
}

interface Entry {
  readonly engine: LoopEngine
  object: ApiObject
  keeper: SourceKeeper | undefined
  timer: Timer | undefined
}

export class LoopBook {
  readonly #ports: LoopBookPorts
  readonly #loops = new Map<string, Entry>()
  #closed = false

  constructor(ports: LoopBookPorts) {
    this.#ports = ports
  }

  get(id: string): LoopEngine | undefined {
    return this.#loops.get(id)?.engine
  }

  all(): LoopEngine[] {
    return [...this.#loops.values()].map((entry) => entry.engine)
  }

  sourceOf(id: string): SourceKeeper | undefined {
    return this.#loops.get(id)?.keeper
  }

  sourceState(id: string): SourceState | undefined {
    return this.#loops.get(id)?.keeper?.state
  }

  /** A Loop object was made or changed. Loosening and tightening both count from the next round. */
  async put(object: ApiObject): Promise<void> {
    const id = loopId(object.metadata.namespace ?? "", object.metadata.name)
    const known = this.#loops.get(id)
    if (known === undefined) {
      await this.#add(id, this.#ports.specOf(object), object)
      return
    }
    known.object = object
    await this.#ports.declared(known.engine, object)
    // Read after the wait: a policy may have come meanwhile, and what came later counts.
    const spec = this.#ports.specOf(known.object)
    const before = known.engine.spec
    if (equalJson({ ...before } as object as Json, { ...spec } as object as Json)) return
    known.engine.spec = spec
    const { ledger } = this.#ports.engine
    await ledger.forgetWould(id, [...known.engine.would.keys()])
    if (!sameSource(before, spec)) {
      await known.keeper?.close()
      known.keeper = this.#openKeeper(known.engine)
      return this.#begin(known)
    }
    this.#schedule(known)
    this.#ports.wakeAll(id)
  }

  /** What is in force changed: a policy, or a loosening that was approved. */
  async refresh(id?: string): Promise<void> {
    for (const [one, { object }] of [...this.#loops]) {
      if (id === undefined || id === one) await this.put(object)
    }
  }

  objectOf(id: string): ApiObject | undefined {
    return this.#loops.get(id)?.object
  }

  /** Deleting a loop releases; it never prunes. */
  async remove(id: string): Promise<void> {
    const known = this.#loops.get(id)
    if (known === undefined) return
    this.#loops.delete(id)
    known.timer?.cancel()
    known.engine.round.cancel()
    await known.keeper?.close()
  }

  /** One pass of the level trigger, now. */
  async look(id: string): Promise<void> {
    const known = this.#loops.get(id)
    if (known === undefined) return
    await known.keeper?.sync()
    await this.#ports.sweep(known.engine)
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const { timer, engine, keeper } of this.#loops.values()) {
      timer?.cancel()
      engine.round.cancel()
      await keeper?.close()
    }
  }

  async #add(id: string, spec: LoopSpec, object: ApiObject): Promise<void> {
    const engine = new LoopEngine(id, spec, this.#ports.engine)
    const entry: Entry = { engine, object, keeper: undefined, timer: undefined }
    this.#loops.set(id, entry)
    this.#ports.restoreHeld(engine)
    engine.cleanRounds = Number(at(object.status, "cleanRounds") ?? 0)
    await this.#ports.declared(engine, object)
    engine.spec = this.#ports.specOf(entry.object)
    entry.keeper = this.#openKeeper(engine)
    await this.#begin(entry)
  }

  /**
   * The first read of a new source. One that goes over a network is not waited for: a server that
   * hangs must keep neither the plane from its start nor other loops from their changes.
   */
  async #begin(entry: Entry): Promise<void> {
    await entry.keeper?.recall()
    const read = this.#firstRead(entry)
    if (entry.engine.spec.source?.git === undefined) return read
    read.catch(this.#ports.failed)
  }

  /** The loop's own rounds wait for it; it may be gone, or point elsewhere, when that ends. */
  async #firstRead(entry: Entry): Promise<void> {
    const { keeper, engine } = entry
    await keeper?.sync()
    const isCurrent = this.#loops.get(engine.id) === entry && entry.keeper === keeper
    if (this.#closed || !isCurrent) return
    this.#ports.wakeAll(engine.id)
    this.#schedule(entry)
  }

  #openKeeper(engine: LoopEngine): SourceKeeper | undefined {
    const { source } = engine.spec
    if (source === undefined) return undefined
    return new SourceKeeper(engine, this.#ports.openSource(source, engine.id), this.#ports.source)
  }

  #schedule(entry: Entry): void {
    entry.timer?.cancel()
    if (this.#closed) return
    const { id, spec } = entry.engine
    entry.timer = this.#ports.clock.after(spec.intervalMs, () => {
      this.look(id)
        .catch(this.#ports.failed)
        .finally(() => this.#loops.get(id) === entry && this.#schedule(entry))
    })
  }
}

function sameSource({ source: before }: LoopSpec, { source: now }: LoopSpec): boolean {
  return equalJson({ ...before } as object as Json, { ...now } as object as Json)
}
