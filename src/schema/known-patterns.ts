// Regular expressions of schemas, compiled once: one schema is judged, compiled and compared from,
// and many kinds share a pattern. How many are kept is bounded; forgetting one costs only time.

import { RE2JS } from "re2js"

const keptMax = 1000
const known = new Map<string, RE2JS>()

/** Throws where it is no RE2 expression. */
export function compilePattern(source: string): RE2JS {
  const before = known.get(source)
  if (before !== undefined) return before
  const pattern = RE2JS.compile(source)
  if (known.size >= keptMax) known.clear()
  known.set(source, pattern)
  return pattern
}
