// Faults of the loop itself.

import { defineFaults } from "../base/faults.ts"

export const reconcileFault = defineFaults({
  "SPT-LOOP-001": {
    fault: "retry",
    text: "cannot tell whether {target} is as declared: {cause}",
    hint: "nothing is changed on doubt; it is read again with backoff",
  },
  "SPT-LOOP-002": {
    fault: "stuck",
    text: "cannot observe {target}: {cause}",
    hint: "change the declaration or what is in the way",
  },
  "SPT-LOOP-003": {
    fault: "stuck",
    text: "cannot manage {target}: it already belongs to {owner}",
    hint: "two objects describe one target; delete or change one of them",
  },
  "SPT-LOOP-004": {
    fault: "stuck",
    text: "cannot tell whether {target} was created: the reply was lost and it has no identity",
    hint: "look in the target system, then delete the object or adopt what was made",
  },
  "SPT-LOOP-005": {
    fault: "stuck",
    text: "cannot act for {object}: its kind has no provider here",
    hint: "start the plane with the provider (--provider), or delete the definition",
  },
  "SPT-LOOP-006": {
    fault: "stuck",
    text: "cannot manage {object}: its loop {loop} does not exist",
    hint: "create the loop, or delete the object",
  },
  "SPT-LOOP-007": {
    fault: "wait",
    text: "cannot go on with {object}: it waits for {reference}",
    hint: "it goes on by itself when that field has a value",
  },
  "SPT-LOOP-008": {
    fault: "stuck",
    text: "cannot compose {object}: {cause}",
    hint: "nothing is made or deleted until it can be; its children stay as they are",
  },
  "SPT-LOOP-009": {
    fault: "stuck",
    text: "cannot make {child} for {kind} {name}: there is one that does not belong to it",
    hint: "rename or delete the other one; a composite takes nothing that others made",
  },
  "SPT-LOOP-010": {
    fault: "stuck",
    text: "cannot give {object} the value of {reference}: {why}",
    hint: "declare the Secret in the same source, or bind a role with `get` of it to that name",
  },
  "SPT-LOOP-011": {
    fault: "stuck",
    text: "cannot write {count} of the children of {object}: {cause}",
    hint: "change what it declares of that child; others go on, and nothing is deleted meanwhile",
  },
})
