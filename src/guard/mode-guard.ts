// Propose: every action, creates too, waits for a person. Observe never gets as far as acting; it
// is refused here as well, so that no path around the round can act.

import { type Guard, verdict } from "./guard.ts"

export const modeGuard: Guard = {
  name: "mode",
  judge({ approved }, { spec, loop }) {
    if (spec.mode === "Enforce" || (spec.mode === "Propose" && approved)) return undefined
    if (spec.mode === "Propose") {
      const message = `loop ${loop} is in mode Propose: every action needs an approval`
      return verdict("hold", { guard: "mode", code: "Propose", message })
    }
    const message = `loop ${loop} is in mode Observe: it only reports`
    const hint = "set spec.mode of the loop to Propose or Enforce"
    return verdict("deny", { guard: "mode", code: "Observe", message, hint })
  },
}
