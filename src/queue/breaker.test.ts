import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { SimClock } from "../sim/sim-clock.ts"
import { Breaker, type BreakerState, type defaultBreakerLimits } from "./breaker.ts"

function newBreaker(limits: Partial<typeof defaultBreakerLimits> = {}) {
  const clock = new SimClock()
  const changes: string[] = []
  const onChange = (state: BreakerState, before: BreakerState) => {
    changes.push(`${before} > ${state}`)
  }
  return { clock, changes, breaker: new Breaker({ clock, limits, onChange }) }
}

function fail(breaker: Breaker, times: number): void {
  for (let n = 0; n < times; n++) breaker.record("failure")
}

describe("Breaker", () => {
  it("opens after failures in a row; a success between starts the count anew", () => {
    const { breaker } = newBreaker({ failuresInRow: 3 })
    fail(breaker, 2)
    breaker.record("success")
    fail(breaker, 2)
    expect(breaker.state).toBe("closed")
    fail(breaker, 1)
    expect([breaker.state, breaker.mayRead(), breaker.mayAct()]).toEqual(["open", false, false])
  })

  it("opens when too large a part of the window's calls failed", async () => {
    const { breaker } = newBreaker({ failuresInRow: 1000, callsMin: 10, failureRatio: 0.5 })
    for (let n = 0; n < 9; n++) breaker.record(n % 2 === 0 ? "success" : "failure")
    expect(breaker.state).toBe("closed")
    breaker.record("failure")
    expect(breaker.state).toBe("open")
  })

  it("forgets failures that are older than the window", async () => {
    const limits = { failuresInRow: 1000, callsMin: 4, failureRatio: 0.5, windowMs: 1000 }
    const { breaker, clock } = newBreaker(limits)
    fail(breaker, 3)
    await clock.advance(1001)
    breaker.record("failure")
    expect(breaker.snapshot()).toMatchObject({ state: "closed", failures: 1 })
  })

  it("half-open lets one read through at a time and never an act", async () => {
    const { breaker, clock, changes } = newBreaker({ failuresInRow: 1, openMs: 100 })
    fail(breaker, 1)
    expect(breaker.snapshot().retryInMs).toBe(100)
    await clock.advance(100)
    expect(breaker.mayAct()).toBe(false)
    expect([breaker.mayRead(), breaker.mayRead(), breaker.mayAct()]).toEqual([true, false, false])
    breaker.record("success")
    expect([breaker.state, breaker.mayAct()]).toEqual(["closed", true])
    expect(changes).toEqual(["closed > open", "open > half-open", "half-open > closed"])
  })

  it("stays open longer after each failed probe, up to the longest time", async () => {
    const { breaker, clock } = newBreaker({ failuresInRow: 1, openMs: 100, openMaxMs: 300 })
    fail(breaker, 1)
    const waits: number[] = []
    for (let probe = 0; probe < 4; probe++) {
      waits.push(breaker.snapshot().retryInMs)
      await clock.advance(breaker.snapshot().retryInMs)
      expect(breaker.mayRead()).toBe(true)
      fail(breaker, 1)
    }
    expect(waits).toEqual([100, 200, 300, 300])
    await clock.advance(300)
    breaker.mayRead()
    breaker.record("success")
    fail(breaker, 1)
    expect(breaker.snapshot().retryInMs).toBe(100)
  })

  it("ignores late results of calls that began before it opened", async () => {
    const { breaker, clock } = newBreaker({ failuresInRow: 1, openMs: 100 })
    fail(breaker, 1)
    breaker.record("success")
    await clock.advance(100)
    breaker.record("success")
    expect(breaker.state).toBe("open")
  })

  it("sends another probe when the result of the last one never came", async () => {
    const { breaker, clock } = newBreaker({ failuresInRow: 1, openMs: 100, probeMs: 500 })
    fail(breaker, 1)
    await clock.advance(100)
    breaker.mayRead()
    await clock.advance(499)
    expect(breaker.mayRead()).toBe(false)
    await clock.advance(1)
    expect(breaker.mayRead()).toBe(true)
  })

  it("wants as many good probes as it was told", async () => {
    const { breaker, clock } = newBreaker({ failuresInRow: 1, openMs: 100, probes: 2 })
    fail(breaker, 1)
    await clock.advance(100)
    breaker.mayRead()
    breaker.record("success")
    breaker.record("success") // Late, of a call that was no probe.
    expect([breaker.state, breaker.mayAct(), breaker.mayRead()]).toEqual(["half-open", false, true])
    breaker.record("success")
    expect(breaker.state).toBe("closed")
  })

  it("does not hold the outage against the other side once it is back", async () => {
    const limits = { failuresInRow: 1000, callsMin: 4, failureRatio: 0.5, openMs: 100 }
    const { breaker, clock } = newBreaker(limits)
    fail(breaker, 4)
    await clock.advance(100)
    breaker.mayRead()
    breaker.record("success")
    fail(breaker, 3)
    expect(breaker.snapshot()).toMatchObject({ state: "closed", failures: 3 })
  })

  it("agrees with a naive model for any order of calls and times", async () => {
    const step = fc.oneof(
      fc.constantFrom("read" as const, "act" as const, "success" as const, "failure" as const),
      fc.integer({ min: 1, max: 60 }),
    )
    const property = fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const { breaker, clock } = newBreaker({ ...modelLimits, callsMin: 1_000_000 })
      let model: Model = { kind: "closed", inRow: 0 }
      for (const one of steps) {
        const now = clock.monotonic()
        if (typeof one === "number") await clock.advance(one)
        else if (one === "read") {
          const [allowed, next] = modelRead(model, now)
          expect(breaker.mayRead()).toBe(allowed)
          model = next
        } else if (one === "act") expect(breaker.mayAct()).toBe(model.kind === "closed")
        else {
          breaker.record(one)
          model = modelRecord(model, one, now)
        }
        expect(breaker.state).toBe(model.kind)
      }
    })
    await fc.assert(property, { numRuns: 300 })
  })
})

const modelLimits = { failuresInRow: 2, openMs: 50, openMaxMs: 200, probes: 1, probeMs: 70 }

type Model =
  | { readonly kind: "closed"; readonly inRow: number }
  | { readonly kind: "open"; readonly until: number; readonly openMs: number }
  | { readonly kind: "half-open"; readonly openMs: number; readonly probeUntil: number }

function modelRead(model: Model, now: number): [boolean, Model] {
  if (model.kind === "closed") return [true, model]
  const waits = model.kind === "open" ? now < model.until : now < model.probeUntil
  if (waits) return [false, model]
  return [true, { kind: "half-open", openMs: model.openMs, probeUntil: now + 70 }]
}

function modelRecord(model: Model, result: "success" | "failure", now: number): Model {
  if (model.kind === "open") return model
  if (result === "success") return { kind: "closed", inRow: 0 }
  if (model.kind === "half-open") {
    const openMs = Math.min(model.openMs * 2, 200)
    return { kind: "open", openMs, until: now + openMs }
  }
  if (model.inRow + 1 < 2) return { kind: "closed", inRow: model.inRow + 1 }
  return { kind: "open", openMs: 50, until: now + 50 }
}
