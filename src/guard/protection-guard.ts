// Destroying what is protected always waits for a person, whatever the budget says. The protection
// lives with the object that is managed, not with the source that would destroy it.

import { protects } from "../base/protections.ts"
import { type Guard, verdict } from "./guard.ts"

export const protectionGuard: Guard = {
  name: "protection",
  judge({ action, effects, protectedBy, approved }) {
    if (protectedBy === undefined || effects.length === 0 || approved) return undefined
    if (!protects("protected-object")) return undefined
    const message = `${action.object} is protected by ${protectedBy}`
    const hint = "approve the plan if it shall really be destroyed"
    return verdict("hold", { guard: "protection", code: "Protected", message, hint })
  },
}
