// The faults of object shapes: what can be wrong with a document before any schema is asked.

import { defineFaults } from "../base/faults.ts"

export const objectFault = defineFaults({
  "SPT-OBJECT-001": {
    fault: "stuck",
    text: "cannot read managed fields: {cause}",
    hint: "send the entry as the server gave it, or clear them all with `managedFields: [{}]`",
    status: 400,
    reason: "BadRequest",
  },
})
