// Keeps an index by storage key up to date with one prefix of the store: what a snapshot no longer
// names is taken out of it, so that no delete is lost while nobody was looking.

import type { Clock } from "../base/clock.ts"
import type { Revision, Store } from "../contract/store.ts"
import type { ApiObject } from "../object/object.ts"
import { decodeObject } from "./codec.ts"
import { type Follower, followStore } from "./follow-store.ts"

export interface FollowedIndex {
  /** Undefined when the object is gone. */
  put(storageKey: string, object: ApiObject | undefined, revision: Revision): void
  keys(): Iterable<string>
  /** Everything up to this revision has been put. */
  settle?(revision: Revision): void
}

export interface FollowIndexOptions {
  readonly store: Store
  readonly clock: Clock
  readonly prefix: string
  readonly index: FollowedIndex
  /** Undefined for objects that the index has nothing to say of; all are decoded without it. */
  readonly read?: (value: Uint8Array, revision: Revision) => ApiObject | undefined
}

export function followIndex(options: FollowIndexOptions): Follower {
  const { store, clock, prefix, index, read = decodeObject } = options
  let unseen = new Set<string>()
  return followStore({
    store,
    clock,
    prefix,
    sink: {
      begin: () => {
        unseen = new Set(index.keys())
      },
      entries: (entries) => {
        for (const { key, value, modRevision } of entries) {
          unseen.delete(key)
          index.put(key, read(value, modRevision), modRevision)
        }
      },
      end: (revision) => {
        for (const key of unseen) index.put(key, undefined, revision)
        index.settle?.(revision)
      },
      changes: (revision, changes) => {
        for (const { key, value, modRevision } of changes) {
          const object = value === undefined ? undefined : read(value, modRevision)
          index.put(key, object, modRevision)
        }
        index.settle?.(revision)
      },
    },
  })
}
