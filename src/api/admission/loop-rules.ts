// Loops: their id `NAMESPACE.NAME` is a label value and must fit one; their durations must be read.

import { at } from "../../base/json.ts"
import type { Admission } from "../../contract/admission.ts"
import { loopId } from "../../contract/loop.ts"
import { setpointGroup } from "../../object/object.ts"
import type { FieldCause } from "../faults.ts"
import { isLabelValue } from "../metadata-rules.ts"
import { invalidFault } from "../validate-object.ts"
import { gitCauses } from "./git-rules.ts"
import { promotionCauses } from "./promotion-rules.ts"
import { durationCauses, windowCauses } from "./time-rules.ts"

const durations: readonly (readonly string[])[] = [
  ["interval"],
  ["limits", "window"],
  ["approvals", "expiresAfter"],
  ["sourceMaxAge"],
  ["deletionDeadline"],
]

export const loopAdmission: Admission = {
  admit: ({ key, object, operation }) => {
    if (key.group !== setpointGroup || key.resource !== "loops") return object
    if (operation === "delete") return object
    const causes: FieldCause[] = []
    const id = loopId(key.namespace, key.name)
    if (!isLabelValue(id)) {
      const message = `namespace and name together must have at most 62 characters: ${id}`
      causes.push({ field: "metadata.name", reason: "FieldValueTooLong", message })
    }
    for (const path of durations) {
      causes.push(...durationCauses(`spec.${path.join(".")}`, at(object.spec, ...path)))
    }
    causes.push(...windowCauses("spec.windows", at(object.spec, "windows")))
    causes.push(...gitCauses(at(object.spec, "source")))
    causes.push(...promotionCauses(key, at(object.spec, "source")))
    if (causes.length > 0) throw invalidFault("Loop", key.name, causes)
    return object
  },
}
