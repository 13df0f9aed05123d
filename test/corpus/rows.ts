// The fault corpus: every way we know in which a loop like this one did harm elsewhere, what must
// hold all the same, and which proof shows it. docs/reference/fault-corpus.md is made from it.

import { actuationRows } from "./rows/actuation.ts"
import { bypassRows } from "./rows/bypass.ts"
import { clockRows } from "./rows/clock.ts"
import { concurrencyRows } from "./rows/concurrency.ts"
import { desiredRows } from "./rows/desired.ts"
import { crashRows, eventRows, storeRows } from "./rows/events.ts"
import { observationRows } from "./rows/observation.ts"
import type { CorpusRow, CorpusSection } from "./rows/row.ts"

export const sections: readonly CorpusSection[] = [
  desiredRows,
  observationRows,
  eventRows,
  actuationRows,
  crashRows,
  clockRows,
  concurrencyRows,
  storeRows,
  bypassRows,
]

export const corpus: readonly CorpusRow[] = sections.flatMap((section) => section.rows)
