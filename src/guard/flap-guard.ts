// Two writers who undo each other's work would go on for ever. A field that was corrected again and
// again within minutes is left alone until a person decides.

import { protects } from "../base/protections.ts"
import { type Guard, verdict } from "./guard.ts"

export const flapGuard: Guard = {
  name: "flap",
  judge({ flapping, approved, action }) {
    if (flapping.length === 0 || approved || action.verb === "delete") return undefined
    if (!protects("flapping-holds")) return undefined
    const message = `${flapping.join(", ")} was corrected repeatedly and keeps changing back`
    const hint = "find the other writer (`setpoint history`), then approve to correct it once more"
    return verdict("hold", { guard: "flap", code: "Flapping", message, hint })
  },
}

export const flapWindowMs = 10 * 60_000
export const flapCorrectionsMax = 5
