// The faults of provider programs: what is wrong with one that an operator named at start, and what
// a call to one came to.

import { defineFaults } from "../../base/faults.ts"

export const execFault = defineFaults({
  "SPT-EXEC-001": {
    fault: "stuck",
    text: "cannot use the program {name}: {cause}",
    hint: "give --exec-provider NAME=/absolute/path of a program that only its owner can change",
  },
  "SPT-EXEC-002": {
    fault: "stuck",
    text: "cannot use the program {name}: its answer to describe: {cause}",
    hint: "docs/reference/exec-protocol.md says what describe answers; try it by hand first",
  },
  "SPT-EXEC-003": {
    fault: "retry",
    text: "cannot {verb} by the program {name}: {cause}",
    hint: "it may or may not have had an effect; the target is observed before the next act",
  },
})
