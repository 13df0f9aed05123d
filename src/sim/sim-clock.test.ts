import { describe, expect, it } from "vitest"
import { sleep } from "../base/clock.ts"
import { Scheduler } from "./scheduler.ts"
import { SimClock } from "./sim-clock.ts"
import { SimRandom } from "./sim-random.ts"
import { Trace } from "./trace.ts"

describe("SimClock", () => {
  it("fires timers in order, at their times, and lets tasks run in between", async () => {
    const clock = new SimClock()
    const seen: string[] = []
    clock.after(20, () => seen.push(`second ${clock.monotonic()}`))
    clock.after(10, async () => {
      seen.push(`first ${clock.monotonic()}`)
      for (let turn = 0; turn < 50; turn++) await Promise.resolve()
      seen.push(`after fifty turns ${clock.monotonic()}`)
      await sleep(clock, 5)
      seen.push(`slept ${clock.monotonic()}`)
    })
    clock.after(20, () => seen.push(`third ${clock.monotonic()}`))
    await clock.advance(20)
    expect(seen).toEqual(["first 10", "after fifty turns 10", "slept 15", "second 20", "third 20"])
  })

  it("does not fire a cancelled timer, nor one beyond the time that passed", async () => {
    const clock = new SimClock()
    const seen: string[] = []
    clock.after(5, () => seen.push("cancelled")).cancel()
    clock.after(11, () => seen.push("later"))
    await clock.advance(10)
    expect(seen).toEqual([])
    expect([clock.monotonic(), clock.pending]).toEqual([10, 1])
  })

  it("jumps the wall clock without touching timers or monotonic time", async () => {
    const clock = new SimClock({ wallMs: 1_000_000 })
    let fired = false
    clock.after(10, () => {
      fired = true
    })
    clock.jumpWall(-3_600_000)
    expect(clock.now()).toBe(1_000_000 - 3_600_000)
    expect(clock.monotonic()).toBe(0)
    await clock.advance(9)
    expect(fired).toBe(false)
    await clock.advance(1)
    expect(fired).toBe(true)
  })

  it("stops at the instant at which the predicate holds, and says when it never did", async () => {
    const clock = new SimClock()
    let ticks = 0
    const tick = () => {
      ticks++
      clock.after(100, tick)
    }
    tick()
    expect(await clock.runUntil(() => ticks === 4, { maxMs: 10_000 })).toBe(true)
    expect(clock.monotonic()).toBe(300)
    expect(await clock.runUntil(() => ticks === 1, { maxMs: 1000 })).toBe(false)
    expect(clock.monotonic()).toBe(1300)
  })

  it("ends a run in which time can't pass", async () => {
    const clock = new SimClock({ stepsMax: 100 })
    const spin = () => {
      clock.after(0, spin)
    }
    spin()
    await expect(clock.advance(10)).rejects.toThrow("100 steps at 0 ms and no end")
  })

  it("refuses to be advanced by two at once", async () => {
    const clock = new SimClock()
    const first = clock.advance(10)
    await expect(clock.advance(10)).rejects.toThrow("somebody else")
    await first
    expect(clock.monotonic()).toBe(10)
  })
})

async function interleave(seed: number): Promise<{ hash: string; order: string }> {
  const random = new SimRandom(seed)
  const trace = new Trace()
  const scheduler = new Scheduler(random.fork(), trace)
  const clock = new SimClock({ scheduler })
  const order: string[] = []
  const task = async (name: string) => {
    for (let turn = 0; turn < 3; turn++) {
      await scheduler.point(`${name}${turn}`)
      order.push(`${name}${turn}`)
      await sleep(clock, random.below(5))
    }
  }
  const all = Promise.all([task("a"), task("b"), task("c")])
  await clock.advance(100)
  await all
  return { hash: trace.hash(), order: order.join(" ") }
}

describe("Scheduler", () => {
  it("gives the same trace hash for the same seed, and other orders for other seeds", async () => {
    const seeds = Array.from({ length: 20 }, (_, seed) => seed)
    const orders = new Set<string>()
    for (const seed of seeds) {
      const once = await interleave(seed)
      expect(await interleave(seed)).toEqual(once)
      orders.add(once.order)
    }
    expect(orders.size).toBeGreaterThan(10)
  })

  it("keeps the order of each task's own points", async () => {
    const { order } = await interleave(3)
    const own = order.split(" ").filter((name) => name.startsWith("b"))
    expect(own).toEqual(["b0", "b1", "b2"])
  })
})

describe("SimRandom", () => {
  it("repeats for a seed, differs between near seeds and stays in its range", () => {
    const draw = (seed: number) => {
      const random = new SimRandom(seed)
      return Array.from({ length: 1000 }, () => random.next())
    }
    expect(draw(5)).toEqual(draw(5))
    expect(draw(5)).not.toEqual(draw(6))
    expect(draw(5 + 2 ** 32)).not.toEqual(draw(5))
    const numbers = draw(42)
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
    const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.05)
  })

  it("forks generators that do not repeat their parent", () => {
    const parent = new SimRandom(9)
    const child = parent.fork()
    expect(child.bytes(16)).not.toEqual(parent.bytes(16))
  })
})

describe("Trace", () => {
  it("keeps the last lines and hashes all of them", () => {
    const short = new Trace(10)
    const long = new Trace(1000)
    for (let n = 0; n < 100; n++) {
      short.add(`line ${n}`)
      long.add(`line ${n}`)
    }
    expect(short.hash()).toBe(long.hash())
    expect(short.tail()).toEqual(long.tail().slice(-10))
    short.add("one more")
    expect(short.hash()).not.toBe(long.hash())
  })
})
