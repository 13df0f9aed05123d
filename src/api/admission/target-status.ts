// What became of a target is the engine's to say: references of other objects take values from a
// status, so whoever could write one would change what others declare.

import { equalJson, type Json } from "../../base/json.ts"
import { protects } from "../../base/protections.ts"
import type { Admission } from "../../contract/admission.ts"
import { isFromOutside } from "../../contract/principal.ts"
import { apiFault } from "../faults.ts"
import { faultNames } from "../stored-object.ts"
import type { HasProvider } from "./loop-label.ts"

export function targetStatusAdmission(hasProvider: HasProvider): Admission {
  return {
    admit: ({ key, object, old, operation, subresource, principal }) => {
      if (subresource !== "status" || !hasProvider(key.group, key.resource)) return object
      const same = equalJson((old?.status ?? {}) as Json, (object.status ?? {}) as Json)
      if (same || !isFromOutside(principal) || !protects("status-of-targets-is-the-engines")) {
        return object
      }
      throw apiFault("SPT-API-013", {
        ...{ verb: operation, ...faultNames(key) },
        why: "only the engine says what became of a target",
        way: "`setpoint explain` says why it is as it is",
      })
    },
  }
}
