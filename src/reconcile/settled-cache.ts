// What was true at the end of the last pass over each settled object. An unchanged object costs a
// compare of revisions; a sweep costs a compare of tokens or fingerprints. Compact on purpose: it
// is the only thing kept in memory for every object.

import type { KindRuntime } from "./kind-runtime.ts"

export interface Settled {
  readonly uid: string
  readonly generation: number
  /** Declared as protected. */
  readonly guarded: boolean
  readonly loop: string
  readonly identity: string
  readonly kind: KindRuntime
  /** Of kinds that are listed: provider, connection and scope. */
  readonly scope: string
  /** The observation's token. */
  readonly token: string
  /** Wall time of the pass. */
  readonly at: number
  /** Taken before the observation, so that a change in between is seen by the next sweep. */
  readonly fingerprint: string | undefined
}

export class SettledCache {
  readonly #byKey = new Map<string, Settled>()
  readonly #counts = new Map<string, number>()

  get(key: string): Settled | undefined {
    return this.#byKey.get(key)
  }

  set(key: string, settled: Settled): void {
    this.drop(key)
    this.#byKey.set(key, settled)
    this.#counts.set(settled.loop, this.count(settled.loop) + 1)
  }

  drop(key: string): void {
    const known = this.#byKey.get(key)
    if (known === undefined) return
    this.#byKey.delete(key)
    this.#counts.set(known.loop, this.count(known.loop) - 1)
  }

  count(loop: string): number {
    return this.#counts.get(loop) ?? 0
  }

  entries(): MapIterator<[string, Settled]> {
    return this.#byKey.entries()
  }
}
