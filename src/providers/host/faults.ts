// The faults of the host kinds; what goes wrong with a single target is an observation or a result.

import { defineFaults } from "../../base/faults.ts"

export const hostFault = defineFaults({
  "SPT-HOST-001": {
    fault: "stuck",
    text: "cannot import {what}: {cause}",
    hint: "run it as root, with --scope accounts=people or --scope cron=all",
  },
})
