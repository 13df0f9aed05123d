// What every store must do, sentence by sentence of the port. Run it for each engine; a store that
// fails here may not be used by a plane.

import { afterEach, beforeEach, describe } from "vitest"
import type { Clock } from "../../src/base/clock.ts"
import type { Random } from "../../src/base/random.ts"
import type { Store, WatchEvent, WatchOptions, Write } from "../../src/contract/store.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import { SimRandom } from "../../src/sim/sim-random.ts"
import type { RetentionOptions } from "../../src/store/retention.ts"
import type { WatchLimits } from "../../src/store/watch-hub.ts"
import { apartPromises } from "./store-apart.ts"
import { commitPromises } from "./store-commit.ts"
import { leasePromises } from "./store-lease.ts"
import { modelPromises } from "./store-model.ts"
import { rangePromises } from "./store-range.ts"
import { watchPromises } from "./store-watch.ts"

export interface StoreSetup {
  readonly clock: Clock
  readonly random: Random
  readonly retention?: Partial<RetentionOptions>
  readonly watchLimits?: Partial<WatchLimits>
}

export interface StoreUnderTest {
  readonly store: Store
  /** Closes the store and opens the same content again. */
  reopen(): Promise<StoreUnderTest>
  /** Closes it for good and cleans up. */
  dispose(): Promise<void>
}

export type OpenStore = (setup: StoreSetup) => Promise<StoreUnderTest>

/** One store per test, with virtual time. */
export class StoreBench {
  readonly #open: OpenStore
  #under: StoreUnderTest | undefined
  #watches: AbortController[] = []
  clock = new SimClock()

  constructor(open: OpenStore) {
    this.#open = open
  }

  get store(): Store {
    if (this.#under === undefined) throw new Error("the store is not open")
    return this.#under.store
  }

  async start(extra: Partial<StoreSetup> = {}): Promise<void> {
    await this.stop()
    this.clock = new SimClock()
    this.#under = await this.#open({ clock: this.clock, random: new SimRandom(1), ...extra })
  }

  async reopen(): Promise<void> {
    this.#under = await this.#under?.reopen()
  }

  async stop(): Promise<void> {
    for (const watch of this.#watches.splice(0)) watch.abort()
    await this.#under?.dispose()
    this.#under = undefined
  }

  put(key: string, value: string, lease?: string): Promise<number> {
    return this.write({ kind: "put", key, value: bytes(value), ...(lease ? { lease } : {}) })
  }

  delete(key: string): Promise<number> {
    return this.write({ kind: "delete", key })
  }

  async write(...writes: readonly Write[]): Promise<number> {
    const answer = await this.store.commit([], writes)
    if (answer.kind !== "committed") throw new Error("a commit without checks was refused")
    return answer.revision
  }

  /** The text at a key; "compacted" as itself. */
  async text(key: string, at?: number): Promise<string | undefined> {
    const found = await this.store.get(key, at)
    if (found === undefined) return undefined
    return "kind" in found ? found.kind : text(found.value)
  }

  watch(options: Partial<WatchOptions> = {}): WatchReader {
    const controller = new AbortController()
    this.#watches.push(controller)
    const all = { prefix: "t/", after: 0, ...options, signal: controller.signal }
    return new WatchReader(this.store.watch(all)[Symbol.asyncIterator](), controller)
  }
}

export class WatchReader {
  readonly #iterator: AsyncIterator<WatchEvent>
  readonly #controller: AbortController

  constructor(iterator: AsyncIterator<WatchEvent>, controller: AbortController) {
    this.#iterator = iterator
    this.#controller = controller
  }

  /** Undefined when the watch has ended. */
  async next(): Promise<WatchEvent | undefined> {
    const result = await within(this.#iterator.next(), "the next watch event")
    return result.done ? undefined : result.value
  }

  async take(count: number): Promise<WatchEvent[]> {
    const events: WatchEvent[] = []
    while (events.length < count) {
      const event = await this.next()
      if (event === undefined) throw new Error(`the watch ended after ${events.length} events`)
      events.push(event)
    }
    return events
  }

  /** Everything up to and with the revision, as "revision:kind:key=value". */
  async linesUntil(revision: number): Promise<string[]> {
    const lines: string[] = []
    for (;;) {
      const event = await this.next()
      if (event?.kind !== "changes") throw new Error(`unexpected ${event?.kind ?? "end"}`)
      lines.push(...linesOf(event))
      if (event.revision >= revision) return lines
    }
  }

  abort(): void {
    this.#controller.abort()
  }
}

export function linesOf(event: WatchEvent): string[] {
  if (event.kind !== "changes") return [event.kind]
  return event.changes.map((change) => {
    const value = change.value === undefined ? "" : `=${text(change.value)}`
    return `${event.revision}:${change.kind}:${change.key}${value}`
  })
}

export function bytes(value: string): Uint8Array {
  return Buffer.from(value)
}

export function text(value: Uint8Array): string {
  return Buffer.from(value).toString("utf8")
}

const patienceMs = 20_000

export async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited too long for ${what}`)), patienceMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + patienceMs
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited too long for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

export function storeConformance(name: string, open: OpenStore, histories = 40): void {
  describe(`store conformance: ${name}`, () => {
    const bench = new StoreBench(open)
    beforeEach(() => bench.start())
    afterEach(() => bench.stop())
    commitPromises(bench)
    apartPromises(bench)
    rangePromises(bench)
    watchPromises(bench)
    leasePromises(bench)
    modelPromises(bench, histories)
  })
}
