// After a restore the store knows an old truth: nothing is destroyed before everything has been
// looked at again.

import { type Guard, verdict } from "./guard.ts"

export const restoredGuard: Guard = {
  name: "restored",
  judge({ action, approved }, { restored }) {
    const destroys = action.verb === "delete" || action.verb === "replace"
    if (!restored || !destroys || approved) return undefined
    const message = "the plane was restored from a backup and has not observed everything since"
    return verdict("wait", { guard: "restored", code: "Restored", message })
  },
}
