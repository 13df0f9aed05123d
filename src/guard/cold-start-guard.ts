// Right after a start nothing is destroyed before every object of the loop was looked at once: what
// the store remembers may be long ago.

import { protects } from "../base/protections.ts"
import { type Guard, verdict } from "./guard.ts"

export const coldStartGuard: Guard = {
  name: "cold-start",
  judge({ effects, approved }, { coldStart }) {
    if (!coldStart || effects.length === 0 || approved || !protects("cold-start")) return undefined
    const message = "the plane has just started and has not looked at everything yet"
    return verdict("wait", { guard: "cold-start", code: "ColdStart", message })
  },
}
