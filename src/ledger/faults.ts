// Faults of the ledger.

import { defineFaults } from "../base/faults.ts"

export const ledgerFault = defineFaults({
  "SPT-LEDGER-001": {
    fault: "stuck",
    text: "cannot write the ledger: another writer has taken over this store (epoch {epoch})",
    hint: "only one plane may act on a store; stop this process and look at the other one",
    status: 503,
    reason: "ServiceUnavailable",
  },
  "SPT-LEDGER-002": {
    fault: "retry",
    text: "cannot read the ledger at {key}: that revision was compacted while reading",
    hint: "the read is repeated at the newest revision",
    status: 503,
    reason: "ServiceUnavailable",
  },
  "SPT-LEDGER-003": {
    fault: "stuck",
    text: "cannot verify the journal of {loop}: {record} {what}",
    hint: "the journal was changed outside Setpoint; compare with a backup",
    status: 409,
    reason: "Conflict",
  },
  "SPT-LEDGER-020": {
    fault: "stuck",
    text: "cannot read a checkpoint of {loop}: {what}",
    hint: "the store was changed outside Setpoint; choose another checkpoint or a backup",
    status: 409,
    reason: "Conflict",
  },
  "SPT-LEDGER-004": {
    fault: "stuck",
    text: "cannot read the journal since {since}: that is no time",
    hint: "give a duration such as 3d or 12h, or a time such as 2026-01-31T08:00:00Z",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-LEDGER-005": {
    fault: "stuck",
    text: "cannot read the journal of {loop}: there is none",
    hint: "`setpoint audit anchor` lists all journals",
    status: 404,
    reason: "NotFound",
  },
  "SPT-LEDGER-006": {
    fault: "stuck",
    text: "cannot compare the journal with heads kept elsewhere: {why}",
    hint: "give the file that `setpoint audit anchor` printed",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-LEDGER-007": {
    fault: "stuck",
    text: "cannot find record {sequence} in the journal of {loop}",
    hint: "it was never written, or it is older than is kept; `setpoint history` shows what is",
    status: 404,
    reason: "NotFound",
  },
})
