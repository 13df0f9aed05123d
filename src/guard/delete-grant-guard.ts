// The last line before a delete: the object must have been judged when it was marked. A replace
// destroys a target too, and has to fit into what deletes may use.

import { allowedDeletes } from "./delete-limit.ts"
import { type Guard, verdict } from "./guard.ts"

export const deleteGrantGuard: Guard = {
  name: "delete-grant",
  judge({ action, granted, approved }, facts) {
    if (action.verb === "delete" && granted === "changed" && !approved) {
      const message = `${action.target} changed after its delete was approved`
      const hint = "look at it again, then approve the new plan"
      return verdict("hold", { guard: "delete-grant", code: "TargetChanged", message, hint })
    }
    if (action.verb === "delete" && granted === "no") {
      const message = `no budget or approval covers the delete of ${action.target}`
      const hint = "it was marked without being judged; look at the plan and approve it"
      return verdict("hold", { guard: "delete-grant", code: "NotJudged", message, hint })
    }
    if (action.verb !== "replace" || approved) return undefined
    const replaces = facts.actions.filter((item) => item.action.verb === "replace").length
    const allowed = allowedDeletes(facts.spec.limits, facts) - facts.deletesUsed
    if (replaces <= allowed) return undefined
    const left = Math.max(0, allowed)
    const message = `replacing ${replaces} targets destroys them; ${left} may be now`
    return verdict("hold", { guard: "delete-grant", code: "DeleteLimit", message })
  },
}
