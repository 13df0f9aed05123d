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
    text: "cannot verify the journal of {loop}: entry {sequence} {what}",
    hint: "the journal was changed outside Setpoint; compare with a backup",
    status: 409,
    reason: "Conflict",
  },
})
