// When an ended process is started again: properties over any history.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { PlaceFacts } from "../../contract/processes.ts"
import { backoffMs, failuresOf, type PhaseInput, phaseOf } from "./phase.ts"

const identity = { pid: 7, startTime: "1", bootId: "boot" }
const backoff = { initialSeconds: 10, maxSeconds: 300, resetSeconds: 600 }

const endedAfter = (seconds: number, failures: number, code = 1): PlaceFacts => ({
  ...{ run: failures + 1, note: { failures }, identity, alive: false },
  ...{ startedAt: 1_000_000, exit: { code, at: 1_000_000 + seconds * 1000 } },
})

const input = (place: PlaceFacts, more: Partial<PhaseInput> = {}): PhaseInput => ({
  place,
  spec: { state: "Running", restart: "Always", backoff },
  ...{ wasStopped: false, bootId: "boot", now: place.exit?.at ?? 0, ...more },
})

describe("restarts", () => {
  test("come at once, then after 10 s, doubled up to 5 minutes, as the kubelet has it", () => {
    const delays = Array.from({ length: 9 }, (_, failures) => {
      return backoffMs(endedAfter(1, failures), { backoff }) / 1000
    })
    expect(delays).toEqual([0, 10, 20, 40, 80, 160, 300, 300, 300])
  })

  test("begin anew after a run that lasted", () => {
    expect(failuresOf(endedAfter(599, 5), { backoff })).toBe(5)
    expect(failuresOf(endedAfter(600, 5), { backoff })).toBe(0)
  })

  test("are due exactly when the backoff is over, and never later than its bound", () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(1200), fc.nat(400_000), (failures, lasted, passed) => {
        const place = endedAfter(lasted, failures)
        const now = (place.exit?.at ?? 0) + passed
        const delay = backoffMs(place, { backoff })
        const { phase, restartAt } = phaseOf(input(place, { now }))
        expect(phase).toBe(passed >= delay ? "Exited" : "BackOff")
        if (phase === "BackOff") expect(restartAt).toBe((place.exit?.at ?? 0) + delay)
        expect(delay).toBeLessThanOrEqual(backoff.maxSeconds * 1000)
      }),
    )
  })

  test("do not wait for a clock that was set back", () => {
    const place = endedAfter(1, 3)
    expect(phaseOf(input(place, { now: 0 })).phase).toBe("Exited")
  })
})

describe("the phase", () => {
  const phases = (place: PlaceFacts, more: Partial<PhaseInput> = {}) =>
    phaseOf(input(place, more)).phase

  test("follows the restart policy", () => {
    const spec = (restart: "Always" | "OnFailure" | "Never") => ({
      spec: { state: "Running" as const, restart, backoff },
    })
    expect(phases(endedAfter(1, 0, 0), spec("Always"))).toBe("Exited")
    expect(phases(endedAfter(1, 0, 0), spec("OnFailure"))).toBe("Completed")
    expect(phases(endedAfter(1, 0, 1), spec("OnFailure"))).toBe("Exited")
    expect(phases(endedAfter(1, 0, 0), spec("Never"))).toBe("Completed")
    expect(phases(endedAfter(1, 0, 1), spec("Never"))).toBe("Failed")
  })

  test("is never Completed for what a probe gave up, however well it ended", () => {
    const place: PlaceFacts = { ...endedAfter(1, 1, 0), givenUp: true }
    const now = { now: Number.MAX_SAFE_INTEGER }
    const spec = (restart: "OnFailure" | "Never") => ({
      spec: { state: "Running" as const, restart, backoff },
    })
    expect(phases(place, spec("OnFailure"))).toBe("BackOff")
    expect(phases(place, { ...spec("OnFailure"), ...now })).toBe("Exited")
    expect(phases(place, { ...spec("Never"), ...now })).toBe("Failed")
  })

  test("is Lost on another boot, whatever the backoff says", () => {
    expect(phases(endedAfter(1, 9), { bootId: "next" })).toBe("Lost")
  })

  test("is Stopped when that was wanted, and Unstarted when nothing came of an order", () => {
    expect(phases(endedAfter(1, 9), { wasStopped: true })).toBe("Stopped")
    expect(phases({ run: 1, note: {}, alive: false })).toBe("Unstarted")
    const spec = { state: "Stopped" as const, restart: "Always" as const, backoff }
    expect(phases({ run: 1, note: {}, alive: false }, { spec })).toBe("Unstarted")
    expect(phases({ run: 1, note: {}, alive: false, cancelled: true }, { spec })).toBe("Stopped")
    expect(phases({ run: 0, note: {}, alive: false }, { spec })).toBe("Stopped")
    expect(phases({ ...endedAfter(1, 0), stragglers: 1 }, { spec })).toBe("Stopping")
  })
})
