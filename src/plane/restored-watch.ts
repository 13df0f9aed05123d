// After a restore destructive verbs wait until everything was observed once. This looks, now and
// then, whether that is so: every loop's source was read in full, every object was looked at with
// an answer, and a sweep of every loop had no doubt. Only then is the mark cleared.

import type { Timer } from "../base/clock.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import type { Plane } from "./plane.ts"

const lookMs = 1000

/** What a pass reports when its target gave no answer. */
const unanswered = new Set(["Unknown", "NotObservable"])

export class RestoredWatch {
  readonly #plane: Plane
  #timer: Timer | undefined
  #closed = false

  constructor(plane: Plane) {
    this.#plane = plane
  }

  start(): void {
    const { store } = this.#plane.ports
    if (this.#closed || !store.identity.restored) return
    this.#timer = this.#plane.ports.clock.after(lookMs, () => {
      this.look()
        .catch((error) => this.#closed || this.#plane.engine.failed(error))
        .finally(() => this.start())
    })
  }

  close(): void {
    this.#closed = true
    this.#timer?.cancel()
  }

  /** True when the mark is gone. */
  async look(): Promise<boolean> {
    const { engine, loops, ports } = this.#plane
    if (!ports.store.identity.restored) return true
    const all = loops.all()
    if (!all.every((loop) => this.#wasObserved(loop))) return false
    for (const loop of all) {
      const { doubts } = await engine.sweep(loop)
      if (doubts.length > 0) return false
    }
    // The sweep may have found what a pass has not seen yet.
    if (this.#closed || !all.every((loop) => this.#wasObserved(loop))) return false
    await ports.clearRestored?.()
    engine.wakeAll()
    return !ports.store.identity.restored
  }

  #wasObserved(loop: LoopEngine): boolean {
    const { engine, loops } = this.#plane
    const source = loops.sourceState(loop.id)
    if (source !== undefined && source.kind !== "good") return false
    for (const key of engine.feed?.keys(loop.id) ?? []) {
      if (engine.settled.get(key) !== undefined) continue
      const reason = engine.reporter.stateOf(key)?.reason
      if (reason === undefined || unanswered.has(reason)) return false
    }
    return true
  }
}
