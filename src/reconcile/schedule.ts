// Four outcomes, one switch, nowhere else: how a pass ended decides when the key is looked at
// again.

import type { Outcome } from "../contract/outcome.ts"
import type { WorkQueue } from "../queue/work-queue.ts"

export function schedule(queue: WorkQueue, key: string, outcome: Outcome): void {
  switch (outcome.kind) {
    case "settled":
      queue.forget(key) // The level trigger sweeps it.
      return
    case "wait":
      // Waiting is no success: what fails on its way to a round keeps its backoff.
      if (outcome.afterMs !== undefined) queue.addAfter(key, outcome.afterMs)
      return
    case "retry":
      queue.addWithBackoff(key)
      return
    case "stuck":
      queue.forget(key) // Only a change or the level trigger wakes it.
  }
}
