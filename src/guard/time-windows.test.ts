import { describe, expect, it } from "vitest"
import type { TimeWindow } from "../contract/loop.ts"
import { windowState } from "./time-windows.ts"

const berlin: TimeWindow = {
  ...{ kind: "Open", schedule: "0 2 * * *", durationMs: 3_600_000, timeZone: "Europe/Berlin" },
}
const at = (time: string) => Date.parse(time)
const isOpen = (time: string, ...windows: TimeWindow[]) => windowState(windows, at(time)).open

describe("a window", () => {
  it.each([
    ["in summer it is two o'clock there", "2026-06-01T00:10:00Z", true],
    ["an hour later it is over", "2026-06-01T01:10:00Z", false],
    ["in winter it begins an hour later", "2026-01-10T01:10:00Z", true],
    ["and not when it did in summer", "2026-01-10T00:10:00Z", false],
    ["the night in which two o'clock does not exist has a window", "2026-03-29T01:30:00Z", true],
    ["and only one", "2026-03-29T00:30:00Z", false],
    ["the night with two two-o'clocks begins with the first", "2026-10-25T00:10:00Z", true],
    ["and does not begin again", "2026-10-25T01:10:00Z", false],
  ])("%s", (_name, time, open) => {
    expect(isOpen(time, berlin)).toBe(open)
  })

  it("lasts over midnight, and ends to the millisecond", () => {
    const late = { ...berlin, schedule: "30 23 * * *", timeZone: "UTC" }
    expect(isOpen("2026-06-02T00:29:59.999Z", late)).toBe(true)
    expect(isOpen("2026-06-02T00:30:00Z", late)).toBe(false)
  })

  it("says when it opens next", () => {
    const { until } = windowState([berlin], at("2026-06-01T10:00:00Z"))
    expect(until).toBe(at("2026-06-02T00:00:00Z"))
  })

  it("that overlaps itself stays open", () => {
    const often = { ...berlin, schedule: "*/10 * * * *", durationMs: 15 * 60_000 }
    for (let minute = 0; minute < 60; minute++) {
      expect(
        isOpen(new Date(at("2026-06-01T05:00:00Z") + minute * 60_000).toISOString(), often),
      ).toBe(true)
    }
  })
})

describe("a freeze", () => {
  const freeze: TimeWindow = { ...berlin, kind: "Freeze", durationMs: 24 * 3_600_000 }

  it("wins over an open window, and says until when", () => {
    const state = windowState([berlin, freeze], at("2026-06-01T00:10:00Z"))
    expect(state.open).toBe(false)
    expect(state.reason).toContain("frozen")
    expect(state.until).toBe(at("2026-06-02T00:00:00Z"))
  })

  it("that can't be read freezes, and a window that can't be read is not open", () => {
    expect(isOpen("2026-06-01T00:10:00Z", { ...freeze, schedule: "what" })).toBe(false)
    expect(isOpen("2026-06-01T00:10:00Z", { ...berlin, timeZone: "Mars/Olympus" })).toBe(false)
  })
})
