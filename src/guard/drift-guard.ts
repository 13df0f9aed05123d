// onDrift: Hold asks a person before a drifted field is corrected. A target that vanished is drift
// as well: re-creating it waits too.

import { protects } from "../base/protections.ts"
import { type Guard, verdict } from "./guard.ts"
import { onDriftOf } from "./path-policy.ts"

export const driftGuard: Guard = {
  name: "drift",
  judge({ action, approved }, { spec }) {
    if (approved || action.verb === "delete") return undefined
    const drifted = action.changes.filter(
      ({ why, path }) => why === "drift" && onDriftOf(spec, path) === "Hold",
    )
    if (drifted.length === 0 || !protects("drift-holds")) return undefined
    const message = `drift in ${drifted.map((change) => change.path).join(", ")}`
    return verdict("hold", { guard: "drift", code: "Drift", message })
  },
}
