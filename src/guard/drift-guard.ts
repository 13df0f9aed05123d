// onDrift: Hold asks a person before a drifted field is corrected. A target that vanished is drift
// as well: re-creating it waits too.

import { type Guard, verdict } from "./guard.ts"

export const driftGuard: Guard = {
  name: "drift",
  judge({ action, approved }, { spec }) {
    if (approved || spec.onDrift !== "Hold" || action.verb === "delete") return undefined
    const drifted = action.changes.filter((change) => change.why === "drift")
    if (drifted.length === 0) return undefined
    const message = `drift in ${drifted.map((change) => change.path).join(", ")}`
    return verdict("hold", { guard: "drift", code: "Drift", message })
  },
}
