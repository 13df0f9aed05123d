// Nothing is judged on an old look: the read must have begun after the round opened and after our
// own last write to that target, and what destroys needs a complete one.

import { type Guard, verdict } from "./guard.ts"

export const freshnessGuard: Guard = {
  name: "freshness",
  judge({ fresh, action }) {
    if (fresh) return undefined
    const message = `${action.target} was not read completely since this round opened`
    return verdict("wait", { guard: "freshness", code: "StaleObservation", message })
  },
}
