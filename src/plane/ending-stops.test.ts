import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { StopEntry } from "../contract/stop.ts"
import { EndingStops } from "./ending-stops.ts"

const hourMs = 3_600_000
const start = Date.parse("2031-05-01T12:00:00Z")
const until = "2031-05-01T14:00:00Z"

function fixture(entry: Partial<StopEntry>) {
  const time = { wall: start, passed: 0 }
  let content: readonly StopEntry[] = [
    { loop: "*", scope: "all", by: "ann", at: "2031-05-01T12:00:00Z", ...entry },
  ]
  const file = {
    entries: () => content,
    change: (edit: (standing: readonly StopEntry[]) => readonly StopEntry[]) => {
      content = edit(content)
      return content
    },
  }
  const clock = { now: () => time.wall, monotonic: () => time.passed }
  const stops = new EndingStops(file, clock)
  const pass = (ms: number) => {
    time.wall += ms
    time.passed += ms
    return stops.entries().length
  }
  const jump = (ms: number) => {
    time.wall += ms
    return stops.entries().length
  }
  const restart = () => new EndingStops(file, clock)
  return { stops, pass, jump, restart, content: () => content }
}

describe("a stop with an end", () => {
  it("ends when both clocks say so", () => {
    const { pass, stops } = fixture({ until })
    expect(pass(2 * hourMs - 1)).toBe(1)
    expect(stops.nextEndMs()).toBe(1)
    expect(pass(1)).toBe(0)
    expect(stops.nextEndMs()).toBeUndefined()
  })

  it("is not lifted early by a wall clock that jumps forward", () => {
    const { pass, jump } = fixture({ until })
    expect(pass(hourMs)).toBe(1)
    expect(jump(10 * hourMs)).toBe(1)
    expect(pass(hourMs - 1)).toBe(1)
    expect(pass(1)).toBe(0)
  })

  it("is not lifted early by a wall clock that jumps back, and stays ended after it", () => {
    const { pass, jump } = fixture({ until })
    expect(pass(0)).toBe(1)
    expect(jump(-hourMs)).toBe(1)
    expect(pass(2 * hourMs)).toBe(1)
    expect(pass(hourMs)).toBe(0)
    expect(jump(-10 * hourMs)).toBe(0)
  })

  it("is decided by the wall clock after a restart", () => {
    const { pass, restart } = fixture({ until })
    expect(pass(hourMs)).toBe(1)
    expect(restart().entries()).toHaveLength(1)
    pass(hourMs)
    expect(restart().entries()).toHaveLength(0)
  })

  it.each(["", "soon", "2031", "14:00", "2031-05-01 13:00:00Z", "2031-13-41T99:00:00Z", "0"])(
    "never ends when its end can't be read: %j",
    (unreadable) => {
      const { pass, jump, stops } = fixture({ until: unreadable })
      expect(pass(100_000 * hourMs)).toBe(1)
      expect(jump(100_000 * hourMs)).toBe(1)
      expect(stops.nextEndMs()).toBeUndefined()
    },
  )

  it("drops what has ended when the file is changed, and keeps the rest", () => {
    const { pass, stops, content } = fixture({ until })
    pass(3 * hourMs)
    const more: StopEntry = { loop: "a.b", scope: "all", by: "ann", at: "" }
    stops.change((standing) => [...standing, more])
    expect(content()).toEqual([more])
  })

  it("stands for as long as it was set, whatever the wall clock does while the plane runs", () => {
    const step = fc.record({ jump: fc.integer({ min: -9, max: 9 }), pass: fc.nat({ max: 60 }) })
    const run = (steps: readonly { readonly jump: number; readonly pass: number }[]) => {
      const { pass, jump } = fixture({ until })
      expect(pass(0)).toBe(1)
      let passed = 0
      for (const one of steps) {
        passed += one.pass
        const left = pass(one.pass * 60_000) + jump(one.jump * hourMs)
        if (passed < 120) expect(left).toBe(2)
      }
    }
    fc.assert(fc.property(fc.array(step, { maxLength: 8 }), run), { numRuns: 500 })
  })
})
