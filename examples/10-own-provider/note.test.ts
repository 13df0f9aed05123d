// Holds the Note provider to the provider contract, against a real HTTP server with faults.
// Run it with: node --test note.test.ts

import { describe, it } from "node:test"
import { describeConformance, restSubject } from "../../src/testing.ts"
import { note } from "./note.ts"

export const subject = restSubject({
  kind: note,
  samples: (api) => ({
    first: { api, name: "a", text: "one", tags: ["x", "y"] },
    second: { api, name: "a", text: "two", tags: ["y"] },
    others: ["b", "c", "d"].map((name) => ({ api, name, text: `note ${name}`, tags: [] })),
  }),
})

describeConformance(subject, { describe, it })
