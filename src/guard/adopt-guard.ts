// A target that exists and is not ours is never taken silently.

import { type Guard, verdict } from "./guard.ts"

export const adoptGuard: Guard = {
  name: "adopt",
  judge({ action, adoptDeclared, approved }) {
    if (action.verb !== "adopt" || adoptDeclared || approved) return undefined
    const message = `${action.target} exists, differs and was not made by Setpoint`
    const hint = "look at `setpoint diff`, then `setpoint adopt` it or declare spec.adopt: true"
    return verdict("hold", { guard: "adopt", code: "Adopt", message, hint })
  },
}
