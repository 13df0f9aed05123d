// Plans and planes are views of the ledger: only the engine writes them. Deleting a plan is left to
// the delete verb, which turns it into a rejection; what a plane stops is left to the plane's own
// admission, which asks who may.

import type { Admission } from "../../contract/admission.ts"
import { isSource } from "../../contract/principal.ts"
import { setpointGroup } from "../../object/object.ts"
import { apiFault } from "../faults.ts"
import { faultNames } from "../stored-object.ts"
import { isEngine } from "./source-fields.ts"

const ways: Readonly<Record<string, string>> = {
  plans: "`setpoint approve` and `setpoint reject` decide about a plan",
  planes: "`setpoint stop` and `setpoint resume` change the plane",
}

export const engineOnlyAdmission: Admission = {
  admit: ({ key, object, operation, principal, subresource }) => {
    const way = key.group === setpointGroup ? ways[key.resource] : undefined
    if (way === undefined || isEngine(principal)) return object
    if (operation === "delete" && key.resource === "plans") return object
    const isChange = operation === "update" && subresource === ""
    if (isChange && key.resource === "planes" && !isSource(principal)) return object
    const why = "only the engine writes it"
    throw apiFault("SPT-API-013", { verb: operation, ...faultNames(key), why, way })
  },
}
