// After a restore the store knows an old truth: nothing is destroyed before everything has been
// looked at again.

import { protects } from "../base/protections.ts"
import { type Guard, verdict } from "./guard.ts"

export const restoredGuard: Guard = {
  name: "restored",
  judge({ effects, approved }, { restored }) {
    if (!restored || effects.length === 0 || approved || !protects("restored-holds"))
      return undefined
    const message = "the plane was restored from a backup and has not observed everything since"
    return verdict("wait", { guard: "restored", code: "Restored", message })
  },
}
