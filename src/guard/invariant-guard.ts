// What invariants have to say about a round. The findings are made over everything that the other
// guards let through (judge-invariant.ts); neither an approval nor break-glass lifts them.

import { type Guard, verdict } from "./guard.ts"

export const invariantGuard: Guard = {
  name: "invariant",
  judge({ action }, { invariants }) {
    const found = invariants?.findings.get(action.uid) ?? []
    const [first] = [...found].sort((left, right) => left.kind.localeCompare(right.kind))
    if (first === undefined) return undefined
    const reasons = found.filter(({ kind }) => kind === first.kind).map(({ reason }) => reason)
    return { ...verdict(first.kind, first.reason), reasons }
  },
}
