// Faults of several writers: planes, workers, processes, loops that feed each other.

import type { CorpusSection } from "./row.ts"

export const concurrencyRows: CorpusSection = {
  title: "Concurrency",
  file: "test/corpus/concurrency.test.ts",
  rows: [
    {
      id: "H01",
      fault: "two planes believe that they are the one",
      holds: "the older one's acts are refused; one target per object",
      proofs: { "epoch-fence": "a plane that another one took over from makes nothing" },
    },
    {
      id: "H02",
      fault: "a slow enactor performs an old plan after a newer one",
      holds: "what was judged for an older declaration is not performed",
      proofs: { "judged-is-still-wanted": "never performs what a newer declaration replaced" },
    },
    {
      id: "H03",
      fault: "two controllers correct one field in turns",
      holds: "it is noticed and left to a person",
      proofs: { "flapping-holds": "stops correcting a field that keeps changing back" },
    },
    {
      id: "H04",
      fault: "a fast writer makes every other write collide",
      holds: "writes of different fields both get through",
      proofs: { "server-side-retry": "two patches of different fields at once both count" },
    },
    {
      id: "H05",
      fault: "one object in two workers",
      holds: "one pass and one act per object at a time",
      proofs: {
        "one-pass-per-key": "gives a key out once, however often it is added",
        "one-act-per-object": "never acts twice on one object at the same time",
      },
    },
    {
      id: "H07",
      fault: "a write of the whole object drops somebody else's change",
      holds: "a replacing write names the version that it read",
      proofs: {
        "stale-put-refused": "refuses a write on an older version",
        "put-needs-version": "refuses a replacing write that names no version",
      },
    },
    {
      id: "H08",
      fault: "two processes open one data directory",
      holds: "the second one is refused",
      proofs: { "one-plane-per-directory": "refuses a data directory that is in use" },
    },
    {
      id: "H09",
      fault: "an older program opens data of a newer one",
      holds: "refused, with what is needed",
      proofs: { "newer-format-refused": "refuses data of a newer format" },
    },
    {
      id: "H11",
      fault: "two loops feed each other and oscillate",
      holds: "a bounded number of changes per window",
      proofs: { "change-limit": "makes only so many changes in a window, whoever asks for more" },
    },
  ],
}
