// A store without a disk: the same semantics, nothing survives. Hand in an engine to open the same
// content again, as a restart would.

import type { Clock } from "../base/clock.ts"
import type { Fault } from "../base/faults.ts"
import { newUid, type Random } from "../base/random.ts"
import type { Store } from "../contract/store.ts"
import type { Engine } from "./engine.ts"
import { MemoryEngine } from "./engines/memory-engine.ts"
import { KvStore } from "./kv-store.ts"
import { defaultRetention, type RetentionOptions } from "./retention.ts"
import { defaultWatchLimits, type WatchLimits } from "./watch-hub.ts"

export interface OpenStoreOptions {
  readonly clock: Clock
  readonly random: Random
  readonly planeId?: string
  readonly retention?: Partial<RetentionOptions>
  readonly watchLimits?: Partial<WatchLimits>
  readonly onFatal?: (fault: Fault) => void
}

export function openMemoryStore(options: OpenStoreOptions): Promise<Store> {
  return openStoreOn(new MemoryEngine(), options)
}

export function openStoreOn(engine: Engine, options: OpenStoreOptions): Promise<KvStore> {
  const { clock, random, onFatal } = options
  return KvStore.open({
    engine,
    clock,
    random,
    planeId: options.planeId ?? newUid(random),
    retention: { ...defaultRetention, ...options.retention },
    watchLimits: { ...defaultWatchLimits, ...options.watchLimits },
    ...(onFatal === undefined ? {} : { onFatal }),
  })
}
