// Times and counts commits of a store. Everything passes through unchanged.

import type { Clock } from "../base/clock.ts"
import type { Store } from "../contract/store.ts"
import { catalog } from "../telemetry/catalog.ts"
import type { Metrics } from "../telemetry/metrics.ts"

export function meteredStore(store: Store, clock: Clock, metrics: Metrics): Store {
  const [commits, durations] = [
    "setpoint_store_commits_total",
    "setpoint_store_commit_duration_seconds",
  ] as const
  const counted = metrics.counter(commits, catalog[commits])
  const timed = metrics.histogram(durations, catalog[durations])
  for (const result of ["committed", "refused", "failed"]) counted.add(0, { result })
  return {
    get identity() {
      return store.identity
    },
    get revision() {
      return store.revision
    },
    get: (key, at) => store.get(key, at),
    range: (query) => store.range(query),
    commit: async (checks, writes) => {
      const started = clock.monotonic()
      try {
        const answer = await store.commit(checks, writes)
        counted.add(1, { result: answer.kind })
        return answer
      } catch (error) {
        counted.add(1, { result: "failed" })
        throw error
      } finally {
        timed.observe((clock.monotonic() - started) / 1000)
      }
    },
    watch: (options) => store.watch(options),
    compact: (before) => store.compact(before),
    grantLease: (ttlMs) => store.grantLease(ttlMs),
    renewLease: (lease) => store.renewLease(lease),
    revokeLease: (lease) => store.revokeLease(lease),
    close: () => store.close(),
  }
}
