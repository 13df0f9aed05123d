import fc from "fast-check"
import { afterEach, describe, expect, it } from "vitest"
import { disarm } from "../../base/protections.ts"
import { SimClock } from "../../sim/sim-clock.ts"
import { defaultLaneLimits, Lanes } from "./lanes.ts"
import { requestInfo } from "./request-info.ts"
import { type Leave, RequestSlots } from "./request-slots.ts"

const limits = { atOnce: 2, perCaller: 2, waitingPerCaller: 3, waiting: 10, waitMs: 1000 }
const none = new URLSearchParams()

let rearm = () => {}
afterEach(() => rearm())

describe("slots for requests", () => {
  it("go around: whoever asks for much does not keep the others out", async () => {
    const slots = new RequestSlots(new SimClock(), limits)
    const order: string[] = []
    const leaves: Leave[] = []
    const ask = (name: string) =>
      Promise.resolve(slots.enter(name)).then((leave) => {
        order.push(name)
        leaves.push(leave)
      })
    const asked = ["a", "a", "a", "a", "a", "b", "c"].map(ask)
    for (let turn = 0; turn < asked.length; turn++) {
      await new Promise((resolve) => setImmediate(resolve))
      leaves.shift()?.()
    }
    await Promise.all(asked)
    expect(order).toEqual(["a", "a", "a", "b", "c", "a", "a"])
  })

  it("refuse with 429 who has too many waiting, and who waited too long", async () => {
    const clock = new SimClock()
    const slots = new RequestSlots(clock, { ...limits, waitingPerCaller: 1 })
    await slots.enter("a")
    await slots.enter("a")
    const waits = Promise.resolve(slots.enter("a"))
    const refused = expect(waits).rejects.toMatchObject({ status: 429 })
    expect(() => slots.enter("a")).toThrow(expect.objectContaining({ status: 429 }))
    await clock.advance(1001)
    await refused
    expect(slots.waiting).toBe(0)
  })

  it("are never more than there are, for all or for one, and all free in the end", async () => {
    const name = fc.constantFrom("a", "b", "c")
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, fc.boolean()), { maxLength: 60 }), async (steps) => {
        const slots = new RequestSlots(new SimClock(), { ...limits, atOnce: 3, waiting: 1000 })
        const running: { name: string; leave: Leave }[] = []
        const asked: Promise<unknown>[] = []
        const settle = () => new Promise((resolve) => setImmediate(resolve))
        for (const [caller, leaves] of steps) {
          const enter = async () => running.push({ name: caller, leave: await slots.enter(caller) })
          asked.push(enter().catch(() => {}))
          await settle()
          if (leaves) running.shift()?.leave()
          await settle()
          expect(running.length).toBeLessThanOrEqual(3)
          expect(running.filter((one) => one.name === "a").length).toBeLessThanOrEqual(2)
        }
        while (running.length > 0) {
          running.shift()?.leave()
          await settle()
        }
        await Promise.all(asked)
        expect([slots.running, slots.waiting]).toEqual([0, 0])
      }),
      { numRuns: 40 },
    )
  })
})

const alice = { name: "alice", kind: "human" } as const

describe("the reserved lane", () => {
  const full = () => {
    const lanes = new Lanes(new SimClock(), { ...defaultLaneLimits, requestsAtOnce: 1 })
    const list = "/api/v1/configmaps"
    void lanes.enter(alice, list, requestInfo("GET", list, none))
    return lanes
  }
  const planes = "/apis/setpoint.dev/v1alpha1/planes/local"
  const isAnswered = (lanes: Lanes, method: string, path: string) =>
    typeof lanes.enter(alice, path, requestInfo(method, path, none)) === "function"

  it("lets stops and what is asked of the plane itself through when all slots are taken", () => {
    const lanes = full()
    expect(isAnswered(lanes, "POST", "/setpoint/v1/stop")).toBe(true)
    expect(isAnswered(lanes, "POST", "/setpoint/v1/resume")).toBe(true)
    expect(isAnswered(lanes, "PATCH", planes)).toBe(true)
    expect(isAnswered(lanes, "GET", "/setpoint/v1/status")).toBe(false)
  })

  it("twin: without it a stop waits with everything else", () => {
    rearm = disarm("reserved-lane")
    expect(isAnswered(full(), "POST", "/setpoint/v1/stop")).toBe(false)
  })
})

describe("watches", () => {
  const open = (lanes: Lanes, name: string) => lanes.openWatch({ ...alice, name })
  const few = () =>
    new Lanes(new SimClock(), { ...defaultLaneLimits, watches: 4, watchesPerCaller: 2 })

  it("are bounded for each caller and for all, and free again when they end", () => {
    const lanes = few()
    const leave = open(lanes, "a")
    open(lanes, "a")
    expect(() => open(lanes, "a")).toThrow("2 watches of a are open")
    open(lanes, "b")
    open(lanes, "b")
    expect(() => open(lanes, "c")).toThrow("4 watches are open")
    leave()
    open(lanes, "c")
    expect(lanes.watchCount).toBe(4)
  })

  it("twin: without the bound for each, one caller takes them all", () => {
    rearm = disarm("watches-per-caller")
    const lanes = few()
    for (let count = 0; count < 4; count++) open(lanes, "a")
    expect(() => open(lanes, "b")).toThrow("4 watches are open")
  })
})
