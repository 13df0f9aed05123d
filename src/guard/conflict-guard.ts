// A field that both the user and the world changed: by default that field alone waits for a person.
// (onConflict DeclaredWins and ObservedWins are settled before actions are proposed.)

import { type Guard, verdict } from "./guard.ts"
import { onConflictOf } from "./path-policy.ts"

export const conflictGuard: Guard = {
  name: "conflict",
  judge({ action, approved }, { spec }) {
    if (approved) return undefined
    const fields = action.changes.filter(
      ({ why, path }) => why === "conflict" && onConflictOf(spec, path) === "Hold",
    )
    if (fields.length === 0) return undefined
    const names = fields.map((change) => change.path).join(", ")
    const message = `both the declaration and the target changed ${names}`
    const hint = "approve to let the declaration win, or change the declaration to what is there"
    return verdict("hold", { guard: "conflict", code: "Conflict", message, hint })
  },
}
