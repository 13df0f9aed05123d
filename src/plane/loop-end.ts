// Deleting a loop lets go of its targets, and of every limit that was in force for them: whoever
// makes another loop for the same objects begins anew. So only a person deletes a loop that keeps
// targets. It refuses; it never decides what becomes of them.

import type { Admission } from "../contract/admission.ts"
import { loopId } from "../contract/loop.ts"
import { enginePrincipal } from "../contract/principal.ts"
import { controllerFault } from "../controllers/faults.ts"
import { kindText } from "../controllers/plan-approval.ts"
import { setpointGroup } from "../object/object.ts"
import type { Plane } from "./plane.ts"

export function loopEnd(plane: Plane): Admission {
  return {
    admit: ({ operation, key, principal, object }) => {
      const isLoop = key.group === setpointGroup && key.resource === "loops"
      if (!isLoop || operation !== "delete" || principal.kind === "human") return object
      if (principal.name === enginePrincipal.name) return object
      const id = loopId(key.namespace, key.name)
      if (plane.engine.ledger.inventory.size(id) === 0) return object
      const facts = { principal: principal.name, kind: kindText[principal.kind] }
      throw controllerFault("SPT-OWN-001", { verb: "delete", object: `loop ${id}`, ...facts })
    },
  }
}
