// What the simulator itself refuses, and how simulated systems say errno and HTTP failures.

import { defineFaults } from "../base/faults.ts"

export const simFault = defineFaults({
  "SPT-SIM-001": {
    fault: "bug",
    text: "cannot advance simulated time: {what}",
    hint: "look for a timer or a task that re-arms itself without letting time pass",
  },
  "SPT-SIM-002": {
    fault: "retry",
    text: "cannot {call} {path}: {errno}",
    hint: "the simulated file system refused the call, by its rules or by an injected fault",
  },
  "SPT-SIM-003": {
    fault: "retry",
    text: "cannot reach {where}: {what}",
    hint: "the simulated system failed as it was told to",
  },
  "SPT-SIM-004": {
    fault: "bug",
    text: "cannot go on after a simulated crash at {point}",
    hint: "the process under test is gone; build a new one over the same world",
  },
  "SPT-SIM-005": {
    fault: "bug",
    text: "cannot answer {what}: the script has no answer for it",
    hint: "add the exchange to the script, or check why the call was made",
  },
})
