// Notes who deletes a policy before it is deleted: what waits then is that person's wish, and where
// authors may not approve their own wishes they may not approve this one. It refuses nothing.

import type { Admission } from "../contract/admission.ts"
import { setpointGroup } from "../object/object.ts"
import type { Plane } from "./plane.ts"

export function policyAuthors(plane: Plane): Admission {
  return {
    admit: ({ operation, key, principal, object, dryRun }) => {
      const deleted = operation === "delete" && !dryRun
      const isPolicy = key.group === setpointGroup && key.resource === "guardpolicies"
      if (!deleted || !isPolicy) return object
      return plane.limits.keeper.notePolicyDelete(key.name, principal.name).then(() => object)
    },
  }
}
