// A rejected action stays refused until its source revision or generation changes.

import { type Guard, verdict } from "./guard.ts"

export const rejectionGuard: Guard = {
  name: "rejection",
  judge({ rejectedBy, approved }) {
    if (rejectedBy === undefined || approved) return undefined
    const message = `rejected by ${rejectedBy}`
    const hint = "change the declaration to propose it again"
    return verdict("deny", { guard: "rejection", code: "Rejected", message, hint })
  },
}
