// Faults of the actuator: why an act did not begin.

import { defineFaults } from "../base/faults.ts"

export const actuatorFault = defineFaults({
  "SPT-ACT-001": {
    fault: "wait",
    text: "cannot act on {target}: {stop}",
    hint: "`setpoint {resume}` lets it go on",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-ACT-002": {
    fault: "retry",
    text: "cannot act on {target}: given up after {seconds} s, its result is unknown",
    hint: "the target is observed before anything else is done to it",
  },
  "SPT-ACT-003": {
    fault: "retry",
    text: "cannot act on {target}: calls to {connection} fail and its breaker is open",
    hint: "reads go on probing; it closes by itself when they succeed",
  },
  "SPT-ACT-004": {
    fault: "bug",
    text: "cannot act on {target}: the handle was used after its act ended",
    hint: "a provider must not go on after its signal aborted",
  },
  "SPT-ACT-005": {
    fault: "wait",
    text: "cannot act on {target}: the plane is shutting down",
    hint: "it goes on at the next start",
  },
  "SPT-ACT-006": {
    fault: "stuck",
    text: "cannot {verb} {target}: {cause}",
    hint: "change the declaration or what is in the way; it is not tried again before that",
  },
  "SPT-ACT-007": {
    fault: "retry",
    text: "cannot {verb} {target}: {cause}",
    hint: "the target is observed again and the action is planned anew",
  },
  "SPT-ACT-008": {
    fault: "bug",
    text: "cannot call {call}: this handle only reads",
    hint: "a provider changes things in create, update and delete, through the handles given there",
  },
})
