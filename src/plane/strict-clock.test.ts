import { describe, expect, it } from "vitest"
import { SimClock } from "../sim/sim-clock.ts"
import { strictClock } from "./strict-clock.ts"

describe("the strict clock", () => {
  it.each([0, 1, 1e6, 1e10, 1e13])(
    "never reads the same twice, after %d ms of uptime too",
    async (ms) => {
      const sim = new SimClock()
      await sim.advance(ms)
      const clock = strictClock(sim)
      const readings = Array.from({ length: 1000 }, () => clock.monotonic())
      expect(new Set(readings).size).toBe(1000)
      expect(readings).toEqual([...readings].sort((left, right) => left - right))
      expect(Math.abs((readings.at(-1) ?? 0) - ms)).toBeLessThan(ms === 1e13 ? 10 : 1)
    },
  )

  it("passes time and timers on", async () => {
    const sim = new SimClock()
    const clock = strictClock(sim)
    let woken = false
    clock.after(1000, () => {
      woken = true
    })
    await sim.advance(1000)
    expect([woken, clock.now() - sim.now()]).toEqual([true, 0])
    expect(clock.monotonic()).toBeGreaterThanOrEqual(1000)
  })
})
