// How far the waves of each loop are: which is the first that is not ready, which the last that is
// still going. Loops without waves cost nothing; in others a change of that wakes what waited.

import type { WaveFacts } from "../guard/wave-guard.ts"
import type { IndexEntry } from "../informer/object-index.ts"
import { keyText } from "../object/object.ts"
import type { Plane } from "./plane.ts"

export class LoopWaves {
  readonly #plane: Plane
  /** Objects in another wave than 0, by loop. */
  readonly #waved = new Map<string, Set<string>>()
  readonly #loopOf = new Map<string, string>()
  readonly #last = new Map<string, string>()

  constructor(plane: Plane) {
    this.#plane = plane
  }

  open(): void {
    const { feed } = this.#plane.engine
    for (const key of feed?.keys() ?? []) this.#note(key)
    feed?.onChange((key) => this.#changed(key))
  }

  /** Undefined for loops without waves. */
  facts(loop: string): WaveFacts | undefined {
    if (!this.#waved.has(loop)) return undefined
    let unready: WaveFacts["unready"]
    let going: WaveFacts["going"]
    const { feed } = this.#plane.engine
    for (const key of feed?.keys(loop) ?? []) {
      const entry = feed?.entry(key)
      if (entry === undefined) continue
      const wave = this.#waveOf(key, entry)
      if (entry.marked) {
        if (going === undefined || wave > going.wave) going = { wave, object: key }
      } else if ((unready === undefined || wave < unready.wave) && !this.#isReady(key, entry)) {
        unready = { wave, object: key }
      }
    }
    return {
      ...(unready === undefined ? {} : { unready }),
      ...(going === undefined ? {} : { going }),
    }
  }

  /** A parent is ready when its children are, so that it counts with the last of them. */
  #waveOf(key: string, { wave, uid }: IndexEntry): number {
    const { engine, api } = this.#plane
    if (engine.feed?.kindOf(key)?.composite === undefined) return wave
    const children = api.context.owners.dependents(uid)
    const waves = children.map((child) => engine.feed?.entry(keyText(child))?.wave ?? wave)
    return Math.max(wave, ...waves)
  }

  #isReady(key: string, { uid, generation }: IndexEntry): boolean {
    const { settled, reporter } = this.#plane.engine
    const known = settled.get(key)
    const same = known?.uid === uid && known.generation === generation
    return same && reporter.stateOf(key) === undefined
  }

  #note(key: string): void {
    const entry = this.#plane.engine.feed?.entry(key)
    const before = this.#loopOf.get(key)
    const loop = entry === undefined || entry.wave === 0 ? undefined : entry.loop
    if (before === loop) return
    if (before !== undefined) {
      const keys = this.#waved.get(before)
      keys?.delete(key)
      if (keys?.size === 0) this.#waved.delete(before)
      this.#loopOf.delete(key)
    }
    if (loop === undefined) return
    this.#loopOf.set(key, loop)
    this.#waved.set(loop, (this.#waved.get(loop) ?? new Set()).add(key))
  }

  #changed(key: string): void {
    const loop = this.#plane.engine.feed?.entry(key)?.loop ?? this.#loopOf.get(key)
    this.#note(key)
    if (this.#waved.size === 0) return
    // A change of what is gone may free others of any loop; there are few that have waves.
    for (const one of loop === undefined ? this.#waved.keys() : [loop]) this.#wake(one)
  }

  #wake(loop: string): void {
    const facts = this.facts(loop)
    if (facts === undefined) return
    const now = `${facts.unready?.wave} ${facts.going?.wave}`
    if (this.#last.get(loop) === now) return
    this.#last.set(loop, now)
    const { feed, queue, settled } = this.#plane.engine
    for (const key of feed?.keys(loop) ?? []) {
      if (settled.get(key) === undefined || feed?.entry(key)?.marked === true) queue.add(key)
    }
  }
}
