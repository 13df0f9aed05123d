// `spec.adopt: true` lets Setpoint take and overwrite what somebody else made: it stands for an
// approval. Agents never approve, so they don't declare it either; what they declare without it is
// held until a person decides.

import { equalJson } from "../../base/json.ts"
import { protects } from "../../base/protections.ts"
import type { Admission } from "../../contract/admission.ts"
import { apiFault } from "../faults.ts"
import { faultNames } from "../stored-object.ts"
import type { HasProvider } from "./loop-label.ts"

export function adoptAdmission(hasProvider: HasProvider): Admission {
  return {
    admit: ({ key, object, old, operation, subresource, principal }) => {
      if (operation === "delete" || subresource !== "" || principal.kind !== "agent") return object
      if (object.spec?.adopt !== true || !hasProvider(key.group, key.resource)) return object
      // With another path the same word would take another target.
      const same = old !== undefined && equalJson(old.spec ?? {}, object.spec)
      if (same || !protects("agents-never-adopt")) return object
      throw apiFault("SPT-API-013", {
        ...{ verb: operation, ...faultNames(key) },
        why: "spec.adopt takes what others made, and an agent may not decide that",
        way: "leave spec.adopt out; a person decides with `setpoint adopt` or in the plan",
      })
    },
  }
}
