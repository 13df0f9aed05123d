// The faults of schemas and typed merges.

import { defineFaults } from "../base/faults.ts"

export const schemaFault = defineFaults({
  "SPT-SCHEMA-001": {
    fault: "stuck",
    text: "cannot use the schema: it is not structural: {issues}",
    hint: "every node needs a type, and allOf/anyOf/oneOf/not may only restrict values",
    status: 422,
    reason: "Invalid",
  },
  "SPT-SCHEMA-002": {
    fault: "stuck",
    text: "cannot apply the configuration: {path}: {cause}",
    hint: "items of a map list need their keys, and no key or set item may appear twice",
    status: 422,
    reason: "Invalid",
  },
})
