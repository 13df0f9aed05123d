// One verdict over a history: an empty list, or every promise that it breaks.

import { checkOperations } from "./check-operations.ts"
import { checkSets } from "./check-sets.ts"
import { checkWatches } from "./check-watches.ts"
import type { History } from "./history.ts"
import { Timeline } from "./timeline.ts"

export function checkHistory(history: History): string[] {
  const timeline = new Timeline(history)
  const operations = checkOperations(history, timeline)
  const sets = checkSets(history, timeline)
  return [...timeline.violations, ...operations, ...sets, ...checkWatches(history, timeline)]
}
