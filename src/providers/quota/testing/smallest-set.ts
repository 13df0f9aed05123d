// An independent model of who has to go, for a handful of candidates: every set is tried. The
// worthiest candidate is the highest bit of a number, so among the sets that are enough the
// smallest number spares the worthiest first. It shares no code with the planner but the order of
// worth.

import { byWorth } from "../choose-victims.ts"
import type { WorkloadFacts } from "../snapshot.ts"

export function smallestSet(
  candidates: readonly WorkloadFacts[],
  enough: (victims: readonly WorkloadFacts[]) => boolean,
): readonly WorkloadFacts[] | undefined {
  const ordered = [...candidates].sort(byWorth)
  for (let set = 0; set < 2 ** ordered.length; set++) {
    const victims = ordered.filter((_, bit) => (set & (1 << bit)) !== 0)
    if (enough(victims)) return victims
  }
  return undefined
}
