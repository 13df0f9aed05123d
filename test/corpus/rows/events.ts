// Faults of events: lost, doubled, reordered, cut off. Rows without a proof are tested without a
// twin so far.

import type { CorpusSection } from "./row.ts"

export const eventRows: CorpusSection = {
  title: "Events",
  file: "test/corpus/events.test.ts",
  rows: [
    {
      id: "E01",
      fault: "an event comes twice",
      holds: "it acts once",
      notYet: "no twin: src/queue/work-queue.model.test.ts",
    },
    {
      id: "E02",
      fault: "an event is lost",
      holds: "everything is looked at again on a timer",
      proofs: { "level-trigger": "corrects drift that no event told of" },
    },
    {
      id: "E05",
      fault: "a watch loses its place because the past was compacted",
      holds: "lists again, and compares",
      proofs: { "relist-notices-deletes": "notices what was deleted while it could not watch" },
    },
    {
      id: "E07",
      fault: "a watcher is slower than the writers",
      holds: "cut off with a word, never skipped, never buffered without end",
      notYet: "no twin: test/conformance/store-watch.ts",
    },
    {
      id: "E10",
      fault: "one transaction is seen in two halves",
      holds: "a watch is atomic per revision",
      notYet: "no twin: test/conformance/store-watch.ts",
    },
  ],
}

export const crashRows: CorpusSection = {
  title: "Crashes",
  file: "test/corpus/events.test.ts",
  rows: [
    {
      id: "C03",
      fault: "the plane ends between the effect and the status",
      holds: "one target per object, and it is known as ours",
      proofs: { "interrupted-create-is-ours": "goes on with what it made before it was cut off" },
    },
    {
      id: "C04",
      fault: "the plane ends between two writes that belong together",
      holds: "converges from every point",
      notYet: "no twin: test/sim/crash.test.ts crashes before and after every call",
    },
    {
      id: "C08",
      fault: "the plane ends while it holds a lease",
      holds: "the next one fences it off",
      notYet: "leases come with several replicas; the fence is H01",
    },
    {
      id: "C09",
      fault: "the plane ends after the record and before the effect",
      holds: "every intent gets its receipt, unknown if need be",
      proofs: {
        "old-intents-are-closed": "says of an act that was cut off that its end is unknown",
      },
    },
  ],
}

export const storeRows: CorpusSection = {
  title: "Store",
  file: "test/corpus/events.test.ts",
  rows: [
    {
      id: "S01",
      fault: "a sync fails",
      holds: "the process stops; the durable part is what counts",
      notYet: "no twin: test/e2e/store-sync.test.ts",
    },
    {
      id: "S02",
      fault: "the disk is full",
      holds: "nothing is done that can't be written down",
      notYet: "shown by A02; a real full disk without a twin in test/e2e/plane-disk.test.ts",
    },
    {
      id: "S07",
      fault: "a part of the store is lost",
      holds: "refused; never a fresh or shorter plane in its place",
      proofs: { "missing-log-refused": "refuses a store that lost its latest commits" },
    },
    {
      id: "S08",
      fault: "an old backup is restored",
      holds: "nothing is destroyed before everything was looked at",
      proofs: { "restored-holds": "holds deletes after a restore" },
    },
  ],
}
