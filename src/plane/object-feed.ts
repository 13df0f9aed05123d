// The informers of all kinds that have a provider, as one: which objects exist, what changed.

import type { Clock } from "../base/clock.ts"
import type { Store } from "../contract/store.ts"
import { Informer } from "../informer/informer.ts"
import type { IndexEntry } from "../informer/object-index.ts"
import type { ApiObject } from "../object/object.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"

export type FeedListener = (key: string, change: "put" | "delete") => void

export class ObjectFeed {
  readonly #informers = new Map<string, Informer>()
  readonly #kinds = new Map<string, KindRuntime>()

  constructor(store: Store, clock: Clock, kinds: readonly KindRuntime[], listener: FeedListener) {
    for (const kind of kinds) {
      const { group, resource } = kind.resource
      const informer = new Informer({ store, clock, group, resource })
      informer.onChange(listener)
      const name = group === "" ? resource : `${resource}.${group}`
      this.#informers.set(name, informer)
      this.#kinds.set(name, kind)
    }
  }

  async synced(): Promise<void> {
    for (const informer of this.#informers.values()) await informer.synced()
  }

  /** Others that want to hear of changes. */
  onChange(listener: FeedListener): void {
    for (const informer of this.#informers.values()) informer.onChange(listener)
  }

  kindOf(key: string): KindRuntime | undefined {
    return this.#kinds.get(prefixOf(key))
  }

  entry(key: string): IndexEntry | undefined {
    return this.#informers.get(prefixOf(key))?.entry(key)
  }

  async object(key: string): Promise<ApiObject | undefined> {
    return this.#informers.get(prefixOf(key))?.get(key)
  }

  /** Keys of one kind; `name` is RESOURCE.GROUP. Undefined when it is not followed here. */
  ofKind(name: string): Iterable<string> | undefined {
    return this.#informers.get(name)?.keys()
  }

  /** RESOURCE.GROUP of every kind that is followed, with its name. */
  *kindNames(): Generator<[string, string]> {
    for (const [name, { provider }] of this.#kinds) yield [name, provider.kind]
  }

  /** Of one kind, what came to be known after this place in the order of that. */
  *entriesAfter(name: string, order: number): Generator<IndexEntry> {
    for (const [, entry] of this.#informers.get(name)?.entries() ?? []) {
      if (entry.order > order) yield entry
    }
  }

  /** Keys of a loop, in the order of kinds; all loops when none is named. */
  *keys(loop?: string): Generator<string> {
    for (const informer of this.#informers.values()) {
      for (const [key, entry] of informer.entries()) {
        if (loop === undefined || entry.loop === loop) yield key
      }
    }
  }

  /** Keys of a loop whose object is not marked for deletion. */
  *unmarked(loop: string): Generator<string> {
    for (const informer of this.#informers.values()) {
      for (const [key, entry] of informer.entries()) {
        if (entry.loop === loop && !entry.marked) yield key
      }
    }
  }

  count(loop: string): number {
    let count = 0
    for (const informer of this.#informers.values()) count += informer.count(loop)
    return count
  }

  async close(): Promise<void> {
    for (const informer of this.#informers.values()) await informer.close()
  }
}

const prefixOf = (key: string): string => key.slice(0, key.indexOf("/"))
