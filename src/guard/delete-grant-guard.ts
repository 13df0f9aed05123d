// The last line before a delete: the object must have been judged when it was marked, and its
// target must be as it was when a person approved it.

import { protects } from "../base/protections.ts"
import { type Guard, verdict } from "./guard.ts"

export const deleteGrantGuard: Guard = {
  name: "delete-grant",
  judge({ action, granted, approved }) {
    if (action.verb !== "delete") return undefined
    if (granted === "changed" && !approved) {
      const message = `${action.target} changed after its delete was approved`
      const hint = "look at it again, then approve the new plan"
      return verdict("hold", { guard: "delete-grant", code: "TargetChanged", message, hint })
    }
    if (granted !== "no" || !protects("delete-needs-grant")) return undefined
    const message = `no budget or approval covers the delete of ${action.target}`
    const hint = "it was marked without being judged; look at the plan and approve it"
    return verdict("hold", { guard: "delete-grant", code: "NotJudged", message, hint })
  },
}
