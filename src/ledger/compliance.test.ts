import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { toTimestamp } from "../base/clock.ts"
import type { JournalEntry, JournalEvent } from "../contract/journal.ts"
import { Compliance, type ComplianceStatus, type ObjectCompliance } from "./compliance.ts"

const start = Date.parse("2026-01-01T00:00:00Z")
const second = 1000
const object = "files.host/default/a"

const at = (seconds: number, event: JournalEvent): JournalEntry => ({
  ...{ format: 1, loop: "default.site", sequence: 1, principal: "x", previous: "", hash: "" },
  time: toTimestamp(start + seconds * second),
  event,
})

const out = (reason = "Drift", was?: "out" | "unknown" | "new"): JournalEvent => ({
  type: "states",
  out: [{ object, state: "held", reason, ...(was === undefined ? {} : { was }) }],
})
const back: JournalEvent = { type: "states", in: [object] }
const plane = (state: "start" | "stop"): JournalEvent => ({ type: "plane", state, epoch: 1 })

function over(
  seconds: number,
  entries: readonly JournalEntry[],
  planeEntries: readonly JournalEntry[] = [],
  now: ComplianceStatus = "in",
): ObjectCompliance | undefined {
  const until = start + seconds * second
  const count = new Compliance({ since: start, until, plane: planeEntries })
  for (const entry of entries) count.add(entry)
  return count.finish([[object, now]])[0]
}

describe("compliance", () => {
  it("takes an object that nothing was written about as it is now", () => {
    expect(over(100, [])).toMatchObject({ inMs: 100_000, outMs: 0, outages: 0, now: "in" })
    expect(over(100, [], [], "out")).toMatchObject({ inMs: 0, outMs: 100_000, outages: 1 })
  })

  it("knows what was before the first entry from what that entry says", () => {
    expect(over(100, [at(40, back)])).toMatchObject({ inMs: 60_000, outMs: 40_000, outages: 1 })
    expect(over(100, [at(40, out()), at(50, back)])).toMatchObject({
      ...{ inMs: 90_000, outMs: 10_000, longestMs: 10_000 },
    })
    expect(over(100, [at(40, out("Adopt", "new"))])).toMatchObject({ inMs: 0, outMs: 60_000 })
    const first: JournalEvent = { type: "states", first: [object] }
    expect(over(100, [at(30, first)])).toMatchObject({ inMs: 70_000, outMs: 0, outages: 0 })
  })

  it("tells what nobody saw from both", () => {
    const stopped = [at(-10, plane("start")), at(20, plane("stop")), at(50, plane("start"))]
    expect(over(100, [], stopped)).toMatchObject({ inMs: 70_000, unobservedMs: 30_000 })
    expect(over(100, [at(10, out("Unknown")), at(40, back)])).toMatchObject({
      ...{ inMs: 70_000, outMs: 0, unobservedMs: 30_000, outages: 0 },
    })
    const blind: JournalEvent = { type: "states", blind: ["files.host"] }
    const seen: JournalEvent = { type: "states", seen: ["files.host"] }
    expect(over(100, [at(10, blind), at(30, seen)])).toMatchObject({ unobservedMs: 20_000 })
    expect(over(100, [at(10, blind)])).toMatchObject({ inMs: 10_000, unobservedMs: 90_000 })
  })

  it("after a crash trusts nothing since the last entry", () => {
    const crashed = [at(-10, plane("start")), at(60, plane("start"))]
    const entries = [at(20, { type: "source", state: "good" })]
    expect(over(100, entries, crashed)).toMatchObject({ inMs: 60_000, unobservedMs: 40_000 })
  })

  it("spends every moment exactly once, whatever happened in which order", () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 50 }),
      what: fc.constantFrom("out", "doubt", "in", "blind", "seen", "down", "crash"),
    })
    const property = fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const entries: JournalEntry[] = []
      const starts: JournalEntry[] = [at(0, plane("start"))]
      let now = 0
      for (const { wait, what } of steps) {
        now += wait
        if (what === "down") starts.push(at(now, plane("stop")))
        if (what !== "down" && what !== "crash") entries.push(at(now, events[what]))
        else {
          now += wait
          starts.push(at(now, plane("start")))
        }
      }
      const told = over(now + 10, entries, starts)
      if (told === undefined) throw new Error("nothing told")
      const { inMs, outMs, unobservedMs, longestMs } = told
      expect(inMs + outMs + unobservedMs).toBe((now + 10) * second)
      expect(longestMs).toBeLessThanOrEqual(outMs)
    })
    fc.assert(property, { numRuns: 1000 })
  })
})

const events: Record<"out" | "doubt" | "in" | "blind" | "seen", JournalEvent> = {
  out: out("Drift"),
  doubt: out("Unknown"),
  in: back,
  blind: { type: "states", blind: ["files.host"] },
  seen: { type: "states", seen: ["files.host"] },
}
