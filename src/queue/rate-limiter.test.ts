import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { SimClock } from "../sim/sim-clock.ts"
import { ByConnection } from "./by-connection.ts"
import { RateLimiter } from "./rate-limiter.ts"

const never = new AbortController().signal

describe("RateLimiter", () => {
  it("lets a burst through, then the rate", async () => {
    const clock = new SimClock()
    const limiter = new RateLimiter({ clock, perSecond: 10, burst: 3 })
    expect([1, 2, 3, 4].map(() => limiter.tryTake())).toEqual([true, true, true, false])
    expect(limiter.waitMs()).toBe(100)
    await clock.advance(100)
    expect([limiter.tryTake(), limiter.tryTake()]).toEqual([true, false])
  })

  it("serves those who wait in the order they asked, at the rate", async () => {
    const clock = new SimClock()
    const limiter = new RateLimiter({ clock, perSecond: 10, burst: 1 })
    const served: string[] = []
    for (const name of ["a", "b", "c"]) {
      void limiter.acquire(never, 10_000).then(() => served.push(`${name} ${clock.monotonic()}`))
    }
    await clock.advance(1000)
    expect(served).toEqual(["a 0", "b 100", "c 200"])
  })

  it("says no at once to who would wait too long, without using a token", async () => {
    const clock = new SimClock()
    const limiter = new RateLimiter({ clock, perSecond: 1, burst: 1 })
    limiter.tryTake()
    expect(await limiter.acquire(never, 500)).toBe(false)
    expect(limiter.waitMs()).toBe(1000)
  })

  it("gives the token back when the wait is aborted", async () => {
    const clock = new SimClock()
    const limiter = new RateLimiter({ clock, perSecond: 1, burst: 1 })
    limiter.tryTake()
    const controller = new AbortController()
    const waiting = limiter.acquire(controller.signal, 5000)
    expect(limiter.waitMs()).toBe(2000)
    controller.abort()
    expect(await waiting).toBe(false)
    expect(limiter.waitMs()).toBe(1000)
    expect(await limiter.acquire(controller.signal, 5000)).toBe(false)
  })

  it("lets nobody go before a pause that the other side asked for is over", async () => {
    const clock = new SimClock()
    const limiter = new RateLimiter({ clock, perSecond: 100, burst: 5 })
    limiter.pause(3000)
    limiter.pause(1000)
    expect([limiter.tryTake(), limiter.waitMs()]).toEqual([false, 3000])
    await clock.advance(3000)
    expect(limiter.tryTake()).toBe(true)
  })

  it("holds those back who already wait in line when a pause is asked for", async () => {
    const clock = new SimClock()
    const limiter = new RateLimiter({ clock, perSecond: 10, burst: 1 })
    limiter.tryTake()
    const served: string[] = []
    const wait = async (name: string, maxWaitMs: number) => {
      served.push(`${name} ${await limiter.acquire(never, maxWaitMs)} ${clock.monotonic()}`)
    }
    void wait("patient", 10_000)
    void wait("hurried", 500)
    limiter.pause(3000)
    await clock.advance(5000)
    expect(served).toEqual(["hurried false 200", "patient true 3000"])
  })

  it("never lets more through than burst plus rate, whatever the times of asking", async () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 100 })
    const property = fc.asyncProperty(gaps, async (all) => {
      const clock = new SimClock()
      const limiter = new RateLimiter({ clock, perSecond: 50, burst: 4 })
      let passed = 0
      for (const gap of all) {
        await clock.advance(gap)
        if (limiter.tryTake()) passed++
        expect(passed).toBeLessThanOrEqual(4 + clock.monotonic() * 0.05 + 1e-6)
      }
    })
    await fc.assert(property, { numRuns: 100 })
  })
})

describe("ByConnection", () => {
  it("makes one part per connection and keeps it until it is dropped", () => {
    const parts = new ByConnection((name) => ({ name }))
    const first = parts.get("a")
    expect(parts.get("a")).toBe(first)
    expect(parts.get("b")).not.toBe(first)
    parts.drop("a")
    expect([...parts.entries()].map(([name]) => name)).toEqual(["b"])
    expect(parts.get("a")).not.toBe(first)
  })
})
