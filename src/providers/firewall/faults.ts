// The faults of firewalls; what goes wrong with a single table is an observation or a result.

import { defineFaults } from "../../base/faults.ts"

export const firewallFault = defineFaults({
  "SPT-FW-001": {
    fault: "stuck",
    text: "cannot import table {table}: {cause}",
    hint: "`nft list tables` shows them; run it as root, and name family and netns where needed",
  },
})
