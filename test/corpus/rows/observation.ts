// Faults of what is observed: errors, lags, lies and half answers.

import type { CorpusSection } from "./row.ts"

export const observationRows: CorpusSection = {
  title: "Observation",
  file: "test/corpus/observation.test.ts",
  rows: [
    {
      id: "O01",
      fault: "credentials expire: reads fail, or a list comes back empty",
      holds: "an error is not empty; all at once gone is doubt",
      proofs: {
        "unknown-is-not-absent": "makes nothing anew while reads are refused",
        "vanished-targets": "makes nothing anew when all are gone at once",
      },
    },
    {
      id: "O02",
      fault: "a read does not see yet what was just made",
      holds: "one target per object",
      proofs: { "early-absence-is-doubt": "never makes a second one because reads lag behind" },
    },
    {
      id: "O03",
      fault: "one page of a list fails",
      holds: "an error is not empty",
      proofs: { "partial-list-is-doubt": "makes nothing anew that half a list does not show" },
    },
    {
      id: "O04",
      fault: "what was observed is older than our own last write",
      holds: "nothing is concluded from before our own write",
      proofs: { "read-after-own-write": "acts once, although an older list is at hand" },
    },
    {
      id: "O05",
      fault: "the target keeps values in another form",
      holds: "meaning is compared, not spelling; it goes quiet",
      proofs: { "compare-normal-forms": "is quiet where the target writes a value its own way" },
    },
    {
      id: "O07",
      fault: "one thing is claimed by two objects",
      holds: "one owner per target",
      proofs: { "one-owner-per-target": "leaves a target to the object that had it first" },
    },
    {
      id: "O08",
      fault: "every call is throttled for an hour",
      holds: "few calls, no deletes, and it comes back by itself",
      proofs: { "breaker-opens": "hardly calls a connection that throttles, and recovers" },
    },
    {
      id: "O09",
      fault: "reads never answer",
      holds: "a deadline; the others go on",
      proofs: { "reads-have-deadlines": "goes on with others while reads of some hang" },
    },
    {
      id: "O10",
      fault: "an act says done and did nothing",
      holds: "ready only from an observation",
      proofs: { "ready-only-from-observation": "never says ready on an act's own word" },
    },
    {
      id: "O11",
      fault: "a person changes the target in an incident",
      holds: "drift by policy: it can wait for a person",
      proofs: { "drift-holds": "leaves a person's change alone until someone decides" },
    },
  ],
}
