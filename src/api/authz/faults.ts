// Refusals that have to do with who may do what.

import { defineFaults } from "../../base/faults.ts"

export const accessFault = defineFaults({
  "SPT-API-070": {
    fault: "stuck",
    text: "{what}",
    hint: "give away only what you hold, or ask for the verb escalate (roles) or bind (bindings)",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-API-071": {
    fault: "stuck",
    text: "cannot speak as somebody else: {why}",
    hint: "name one user with --as, and groups with --as-group",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-API-072": {
    fault: "wait",
    text: "cannot change anything now: the log of requests can't be written ({why})",
    hint: "make room on the disk of the data directory; reading still works",
    status: 503,
    reason: "ServiceUnavailable",
  },
  "SPT-API-073": {
    fault: "stuck",
    text: "cannot {verb} {resource} {name}: no role lets {source} declare it",
    hint: "whoever holds it may bind a role to the User {source}; docs/guides/access.md says how",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-API-074": {
    fault: "stuck",
    text: "cannot choose a source for loop {loop}: {user} may not {what}, and the source would",
    hint: "somebody who may write all kinds of the namespace has to choose the source",
    status: 403,
    reason: "Forbidden",
  },
})
