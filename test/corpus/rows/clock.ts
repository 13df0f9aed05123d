// Faults of time: jumps, pauses, blocked loops and calendars.

import type { CorpusSection } from "./row.ts"

export const clockRows: CorpusSection = {
  title: "Clock",
  file: "test/corpus/clock.test.ts",
  rows: [
    {
      id: "T02",
      fault: "the wall clock jumps by an hour, back or forth",
      holds: "order comes from revisions, windows from a clock that does not jump",
      proofs: { "ledger-time": "a jump neither empties a window nor keeps it full" },
    },
    {
      id: "T03",
      fault: "the process is paused for a minute in the middle of an act",
      holds: "what resumes late can't write any more",
      proofs: { "handles-revoked": "an act that wakes after its deadline changes nothing" },
    },
    {
      id: "T04",
      fault: "the event loop is blocked between the check and the act",
      holds: "checked again at the effect, in the same turn",
      proofs: { "stop-checked-at-effect": "a stop written in between is seen before the call" },
      notYet: "leases that are lost unnoticed come with several replicas",
    },
    {
      id: "T06",
      fault: "summer time, or a wrong time zone, in a maintenance window",
      holds: "windows are instants of their own time zone",
      proofs: { "time-window": "a window opens by the clock on its own wall, in summer too" },
    },
    {
      id: "T07",
      fault: "clocks of two replicas differ",
      holds: "no lease is taken early",
      notYet: "comes with several replicas; one plane per store until then (H01, H08)",
    },
  ],
}
