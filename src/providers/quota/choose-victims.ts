// Who has to go. The least worthy first, until it is enough; then back again, sparing everyone who
// turns out not to be needed, the worthiest first. For a question that only gets truer with more
// victims the result is minimal, and no set spares the worthier ones better.

import { sizeOf, type WorkloadFacts } from "./snapshot.ts"

/** Least worthy first: low priority, newest, smallest. */
export function byWorth(left: WorkloadFacts, right: WorkloadFacts): number {
  return (
    left.priority - right.priority ||
    sinceOf(right) - sinceOf(left) ||
    right.created - left.created ||
    sizeOf(left) - sizeOf(right) ||
    compareText(left.uid, right.uid)
  )
}

const sinceOf = ({ state }: WorkloadFacts): number => (state.kind === "running" ? state.since : 0)

export const compareText = (left: string, right: string): number =>
  left < right ? -1 : left > right ? 1 : 0

/** What would be if these were gone. `enough` must stay true when more are added. */
export interface Trial {
  add(victim: WorkloadFacts): void
  drop(victim: WorkloadFacts): void
  enough(): boolean
}

/** Undefined when not even all of them are enough; nobody has to go when none is needed. */
export function chooseVictims(
  candidates: readonly WorkloadFacts[],
  trial: Trial,
): readonly WorkloadFacts[] | undefined {
  const ordered = [...candidates].sort(byWorth)
  const picked: WorkloadFacts[] = []
  while (!trial.enough()) {
    const next = ordered[picked.length]
    if (next === undefined) return undefined
    trial.add(next)
    picked.push(next)
  }
  const victims: WorkloadFacts[] = []
  for (const candidate of picked.reverse()) {
    trial.drop(candidate)
    if (trial.enough()) continue
    trial.add(candidate)
    victims.push(candidate)
  }
  return victims.reverse()
}

/** As many as it takes to free so many GPUs, or all of them when even that is too little. */
export function chooseBySize(
  candidates: readonly WorkloadFacts[],
  need: number,
): readonly WorkloadFacts[] {
  let freed = 0
  const possible = candidates.reduce((sum, candidate) => sum + sizeOf(candidate), 0)
  const wanted = Math.min(need, possible)
  const chosen = chooseVictims(candidates, {
    add: (victim) => {
      freed += sizeOf(victim)
    },
    drop: (victim) => {
      freed -= sizeOf(victim)
    },
    enough: () => freed >= wanted,
  })
  return chosen ?? candidates
}
