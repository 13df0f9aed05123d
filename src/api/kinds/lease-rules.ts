// Leases: plain data with a few bounds. The clock in them is their holder's.

import { isObject } from "../../base/json.ts"
import { invalid } from "./cause.ts"
import type { KindRules } from "./kind-rules.ts"

export const leaseRules: KindRules = {
  check: ({ spec }) => {
    const { leaseDurationSeconds: seconds, leaseTransitions: times } = isObject(spec) ? spec : {}
    return [
      ...(typeof seconds === "number" && seconds <= 0
        ? [invalid("spec.leaseDurationSeconds", "must be greater than 0")]
        : []),
      ...(typeof times === "number" && times < 0
        ? [invalid("spec.leaseTransitions", "must be greater than or equal to 0")]
        : []),
    ]
  },
}
