// Nothing is judged on an old look: the read must have begun after the round opened and after our
// own last write to that target.

import { type Guard, verdict } from "./guard.ts"

export const freshnessGuard: Guard = {
  name: "freshness",
  judge({ fresh, action }) {
    if (fresh) return undefined
    const message = `${action.target} was last read before this round opened`
    return verdict("wait", { guard: "freshness", code: "StaleObservation", message })
  },
}
