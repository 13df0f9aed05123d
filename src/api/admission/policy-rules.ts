// GuardPolicies: their durations and freezes must be read, and what they name must look like names.
// Anyone may tighten; what is looser waits for an approval wherever it comes from.

import { at, isArray } from "../../base/json.ts"
import type { Admission } from "../../contract/admission.ts"
import { setpointGroup } from "../../object/object.ts"
import type { FieldCause } from "../faults.ts"
import { invalidFault } from "../validate-object.ts"
import { durationCauses, windowCauses } from "./time-rules.ts"

const loopPattern = /^(\*|[a-z0-9-]+\.(\*|[a-z0-9-]+))$/

export const policyAdmission: Admission = {
  admit: ({ key, object, operation }) => {
    if (key.group !== setpointGroup || key.resource !== "guardpolicies") return object
    if (operation === "delete") return object
    const causes: FieldCause[] = []
    for (const part of ["limits", "everywhere"]) {
      const value = at(object.spec, part)
      if (value !== undefined) {
        causes.push(...durationCauses(`spec.${part}.window`, at(object.spec, part, "window")))
      }
    }
    causes.push(...windowCauses("spec.freezes", at(object.spec, "freezes")))
    const loops = at(object.spec, "loops")
    for (const [index, loop] of (isArray(loops) ? loops : []).entries()) {
      if (typeof loop === "string" && loopPattern.test(loop)) continue
      const message = "must be NAMESPACE.NAME, NAMESPACE.* or *"
      causes.push({ field: `spec.loops[${index}]`, reason: "FieldValueInvalid", message })
    }
    if (causes.length > 0) throw invalidFault("GuardPolicy", key.name, causes)
    return object
  },
}
