import { describe, expect, it } from "vitest"
import { SimClock } from "../sim/sim-clock.ts"
import { SimRandom } from "../sim/sim-random.ts"
import { WorkQueue } from "./work-queue.ts"

function newQueue(seed = 1) {
  const clock = new SimClock()
  return { clock, queue: new WorkQueue({ clock, random: new SimRandom(seed) }) }
}

function takeAll(queue: WorkQueue): string[] {
  const keys: string[] = []
  for (let key = queue.tryTake(); key !== undefined; key = queue.tryTake()) {
    keys.push(key)
    queue.done(key)
  }
  return keys
}

const never = new AbortController().signal

describe("WorkQueue", () => {
  it("gives a key out once however often it was added", () => {
    const { queue } = newQueue()
    for (let n = 0; n < 5; n++) queue.add("a")
    queue.add("b")
    expect(queue.depth()).toBe(2)
    expect(takeAll(queue)).toEqual(["a", "b"])
  })

  it("never gives out a key that is being worked on, and runs it again afterwards", () => {
    const { queue } = newQueue()
    queue.add("a")
    expect(queue.tryTake()).toBe("a")
    queue.add("a")
    queue.add("a")
    expect(queue.tryTake()).toBeUndefined()
    expect(queue.depth()).toBe(1)
    queue.done("a")
    expect(takeAll(queue)).toEqual(["a"])
  })

  it("lets edges go before resyncs and moves a waiting key up, never down", () => {
    const { queue } = newQueue()
    queue.add("resync", { priority: "low" })
    queue.add("plain")
    queue.add("moved", { priority: "low" })
    queue.add("edge", { priority: "high" })
    queue.add("moved", { priority: "high" })
    queue.add("edge", { priority: "low" })
    expect(takeAll(queue)).toEqual(["edge", "moved", "plain", "resync"])
  })

  it("moves a key up that was asked for again while it ran", () => {
    const { queue } = newQueue()
    queue.add("a", { priority: "low" })
    queue.tryTake()
    queue.add("a", { priority: "low" })
    queue.add("a", { priority: "high" })
    queue.add("b")
    queue.done("a")
    expect(takeAll(queue)).toEqual(["a", "b"])
  })

  it("starves no lane while another is always busy", () => {
    const { queue } = newQueue()
    queue.add("low", { priority: "low" })
    queue.add("normal")
    const order: string[] = []
    for (let n = 0; n < 40; n++) {
      queue.add(`high-${n}`, { priority: "high" })
      const key = queue.tryTake() ?? ""
      order.push(key)
      queue.done(key)
    }
    expect(order.indexOf("normal")).toBe(8)
    expect(order.indexOf("low")).toBe(16)
  })

  it("owes a lane nothing for keys that left it by moving up", () => {
    const { queue } = newQueue()
    queue.add("moved", { priority: "low" })
    const takeHigh = (name: string) => {
      queue.add(name, { priority: "high" })
      const key = queue.tryTake() ?? ""
      queue.done(key)
      return key
    }
    for (let n = 0; n < 15; n++) takeHigh(`high-${n}`)
    queue.add("moved", { priority: "high" })
    expect(takeAll(queue)).toEqual(["moved"])
    queue.add("low", { priority: "low" })
    const order = Array.from({ length: 20 }, (_, n) => takeHigh(`again-${n}`))
    expect(order.indexOf("low")).toBe(16)
  })

  it("adds after the delay, and the earlier of two delays counts", async () => {
    const { clock, queue } = newQueue()
    queue.addAfter("a", 1000)
    queue.addAfter("a", 400)
    queue.addAfter("a", 5000)
    queue.addAfter("b", 600, { priority: "high" })
    await clock.advance(399)
    expect(queue.depth()).toBe(0)
    await clock.advance(1)
    expect(takeAll(queue)).toEqual(["a"])
    await clock.advance(10_000)
    expect(takeAll(queue)).toEqual(["b"])
    expect(queue.delayed()).toBe(0)
    expect(clock.pending).toBe(0)
  })

  it("backs off per key within a doubling ceiling of at most five minutes", () => {
    const { queue } = newQueue(7)
    for (let failure = 1; failure <= 30; failure++) {
      const delay = queue.addWithBackoff("a")
      expect(delay).toBeGreaterThanOrEqual(1)
      expect(delay).toBeLessThanOrEqual(Math.min(300_000, 250 * 2 ** (failure - 1)))
    }
    expect(queue.failures("a")).toBe(30)
    expect(queue.addWithBackoff("b")).toBeLessThanOrEqual(250)
  })

  it("drops a pending backoff when the key works again, but keeps a wish for a time", async () => {
    const { clock, queue } = newQueue()
    queue.addWithBackoff("a")
    queue.addWithBackoff("b")
    queue.addAfter("b", 60_000)
    queue.forget("a")
    queue.forget("b")
    queue.forget("unknown")
    expect(queue.failures("a")).toBe(0)
    await clock.advance(60_000)
    expect(takeAll(queue)).toEqual(["b"])
  })

  it("tells how long the oldest waiting key has waited, also behind its own pass", async () => {
    const { clock, queue } = newQueue()
    expect(queue.oldestAgeMs()).toBe(0)
    queue.add("a", { priority: "low" })
    await clock.advance(50)
    queue.add("b")
    queue.add("a", { priority: "high" })
    expect(queue.oldestAgeMs()).toBe(50)
    expect(queue.tryTake()).toBe("a")
    expect(queue.oldestAgeMs()).toBe(0)
    queue.add("a")
    expect(queue.tryTake()).toBe("b")
    await clock.advance(30)
    expect(queue.oldestAgeMs()).toBe(30)
  })

  it("wakes takers in the order they came, one key each", async () => {
    const { queue } = newQueue()
    const taken = [queue.take(never), queue.take(never)]
    queue.add("a")
    queue.add("b")
    queue.add("c")
    expect(await Promise.all(taken)).toEqual(["a", "b"])
    expect(queue.depth()).toBe(1)
  })

  it("lets a taker go when its signal aborts, without losing a key", async () => {
    const { queue } = newQueue()
    const controller = new AbortController()
    const gone = queue.take(controller.signal)
    const stays = queue.take(never)
    controller.abort()
    expect(await gone).toBeUndefined()
    queue.add("a")
    expect(await stays).toBe("a")
    expect(await queue.take(controller.signal)).toBeUndefined()
  })

  it("shuts down: takers end, nothing more comes in or goes out, no timer is left", async () => {
    const { clock, queue } = newQueue()
    queue.add("running")
    queue.tryTake()
    queue.addAfter("later", 100)
    const waiting = queue.take(never)
    queue.shutdown()
    expect(await waiting).toBeUndefined()
    queue.add("a")
    queue.addAfter("b", 1)
    queue.addWithBackoff("c")
    expect(queue.tryTake()).toBeUndefined()
    expect([queue.depth(), queue.delayed(), clock.pending]).toEqual([0, 0, 0])
    queue.done("running")
    expect(queue.running()).toBe(0)
  })

  it("drains: waits for running passes, but not for ever", async () => {
    const { clock, queue } = newQueue()
    queue.add("a")
    queue.tryTake()
    const late = queue.drain(100)
    await clock.advance(100)
    expect(await late).toBe(false)
    const drained = queue.drain(100)
    queue.done("a")
    expect(await drained).toBe(true)
    expect(await queue.drain(100)).toBe(true)
  })

  it("refuses the end of work that was not given out", () => {
    const { queue } = newQueue()
    queue.add("a")
    expect(() => queue.done("a")).toThrow('work on "a" ended')
  })
})
