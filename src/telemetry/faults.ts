// What the telemetry port refuses.

import { defineFaults } from "../base/faults.ts"

export const telemetryFault = defineFaults({
  "SPT-TELEMETRY-001": {
    fault: "bug",
    text: 'cannot define metric "{name}": {cause}',
    hint: "names and labels are lower case words with underscores; one name has one shape",
  },
  "SPT-TELEMETRY-002": {
    fault: "bug",
    text: 'cannot count in metric "{name}": {cause}',
    hint: "give exactly the labels that the metric was defined with, and a finite number",
  },
})
