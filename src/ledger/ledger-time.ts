// Time for budgets and windows: the wall clock as it was at start, moved on by the monotonic clock.
// A wall clock that jumps while the plane runs can neither empty a window nor keep it full.

import type { Clock } from "../base/clock.ts"
import { protects } from "../base/protections.ts"

export interface LedgerTime {
  now(): number
}

export function createLedgerTime(clock: Clock, wall = clock.now()): LedgerTime {
  const start = clock.monotonic()
  return { now: () => (protects("ledger-time") ? wall + clock.monotonic() - start : clock.now()) }
}
