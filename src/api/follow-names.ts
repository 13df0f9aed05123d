// Says when an object of one of a few names goes, without reading any: of a resource that may have
// a hundred thousand objects, only these names are remembered. What went while nobody looked is
// told when it is noticed.

import type { Clock } from "../base/clock.ts"
import type { Store } from "../contract/store.ts"
import type { ObjectKey } from "../object/object.ts"
import { type Follower, followStore } from "./follow-store.ts"
import { parseStorageKey, resourcePrefix } from "./storage-keys.ts"

export interface FollowNamesOptions {
  readonly store: Store
  readonly clock: Clock
  readonly group: string
  readonly resource: string
  readonly names: readonly string[]
  gone(key: ObjectKey): void
}

export function followNames(options: FollowNamesOptions): Follower {
  const { store, clock, group, resource, gone } = options
  const ends = options.names.map((name) => `/${name}`)
  const isOne = (path: string) => ends.some((end) => path.endsWith(end))
  const known = new Set<string>()
  let unseen = new Set<string>()
  const seen = (path: string) => {
    known.add(path)
    unseen.delete(path)
  }
  const went = (path: string) => {
    const key = known.delete(path) ? parseStorageKey(path) : undefined
    if (key !== undefined) gone(key)
  }
  return followStore({
    ...{ store, clock, prefix: resourcePrefix(group, resource) },
    sink: {
      begin: () => {
        unseen = new Set(known)
      },
      entries: (entries) => {
        for (const { key } of entries) if (isOne(key)) seen(key)
      },
      end: () => {
        for (const path of unseen) went(path)
        unseen = new Set()
      },
      changes: (_, changes) => {
        for (const { key, kind } of changes) {
          if (!isOne(key)) continue
          if (kind === "delete") went(key)
          else seen(key)
        }
      },
    },
  })
}
