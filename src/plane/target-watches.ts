// Edge triggers: which targets give hints, and which key a hint wakes. A hint is never the truth;
// it only makes the next look come soon.

import type { Target } from "../contract/provider.ts"
import type { Closeable, ReadWorld } from "../contract/world.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"

interface Watched {
  readonly identity: string
  readonly handle: Closeable
}

export class TargetWatches {
  readonly #world: ReadWorld
  readonly #wake: (key: string) => void
  readonly #failed: (error: unknown) => void
  readonly #watched = new Map<string, Watched>()

  constructor(world: ReadWorld, wake: (key: string) => void, failed: (error: unknown) => void) {
    this.#world = world
    this.#wake = wake
    this.#failed = failed
  }

  watch(key: string, kind: KindRuntime, target: Target): void {
    const { provider } = kind
    if (provider.watch === undefined) return
    if (this.#watched.get(key)?.identity === target.identity) return
    this.unwatch(key)
    try {
      const handle = provider.watch(target, this.#world, () => this.#wake(key))
      this.#watched.set(key, { identity: target.identity, handle })
    } catch (error) {
      this.#failed(error) // Without hints the level trigger still looks.
    }
  }

  unwatch(key: string): void {
    this.#watched.get(key)?.handle.close()
    this.#watched.delete(key)
  }

  close(): void {
    for (const key of [...this.#watched.keys()]) this.unwatch(key)
  }
}
