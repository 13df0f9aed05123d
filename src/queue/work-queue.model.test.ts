import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { SimClock } from "../sim/sim-clock.ts"
import { SimRandom } from "../sim/sim-random.ts"
import type { Priority } from "./lanes.ts"
import { WorkQueue } from "./work-queue.ts"

// The model is deliberately naive: plain arrays and sets, linear searches, one list per lane.
const priorities: readonly Priority[] = ["high", "normal", "low"]

interface Model {
  readonly lanes: Record<Priority, string[]>
  readonly passes: Record<Priority, number>
  readonly running: Set<string>
  readonly again: Map<string, Priority>
  readonly delays: Map<string, { at: number; priority: Priority }>
  now: number
}

type Step =
  | { readonly kind: "add"; readonly key: string; readonly priority: Priority }
  | { readonly kind: "after"; readonly key: string; readonly ms: number }
  | { readonly kind: "take" }
  | { readonly kind: "done"; readonly pick: number }
  | { readonly kind: "advance"; readonly ms: number }

const key = fc.constantFrom("a", "b", "c", "d", "e", "f")
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("add" as const), key, priority: fc.constantFrom(...priorities) }),
  fc.record({ kind: fc.constant("after" as const), key, ms: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ kind: fc.constant("take" as const) }),
  fc.record({ kind: fc.constant("done" as const), pick: fc.nat(5) }),
  fc.record({ kind: fc.constant("advance" as const), ms: fc.integer({ min: 1, max: 40 }) }),
)

function newModel(): Model {
  return {
    lanes: { high: [], normal: [], low: [] },
    passes: { high: 0, normal: 0, low: 0 },
    running: new Set(),
    again: new Map(),
    delays: new Map(),
    now: 0,
  }
}

const better = (left: Priority, right: Priority) =>
  priorities.indexOf(left) < priorities.indexOf(right)

function modelAdd(model: Model, name: string, priority: Priority): void {
  if (model.running.has(name)) {
    const before = model.again.get(name)
    if (before === undefined || better(priority, before)) model.again.set(name, priority)
    return
  }
  const before = priorities.find((lane) => model.lanes[lane].includes(name))
  if (before !== undefined && !better(priority, before)) return
  if (before !== undefined) model.lanes[before] = model.lanes[before].filter((k) => k !== name)
  model.lanes[priority].push(name)
}

/** What a take must answer: FIFO in a lane, higher lanes first, nobody passed over too often. */
function modelTake(model: Model): string | undefined {
  const limits = { high: 2, normal: 8, low: 16 }
  const busy = priorities.filter((lane) => model.lanes[lane].length > 0)
  const lane = busy.find((name) => model.passes[name] >= limits[name]) ?? busy[0]
  if (lane === undefined) return undefined
  const [taken, ...rest] = model.lanes[lane]
  model.lanes[lane] = rest
  for (const other of priorities) {
    model.passes[other] = other === lane || !busy.includes(other) ? 0 : model.passes[other] + 1
    if (model.lanes[other].length === 0) model.passes[other] = 0
  }
  if (taken !== undefined) model.running.add(taken)
  return taken
}

function modelAdvance(model: Model, ms: number): void {
  model.now += ms
  const due = [...model.delays].filter(([, delay]) => delay.at <= model.now)
  for (const [name, delay] of due.sort((l, r) => l[1].at - r[1].at)) {
    model.delays.delete(name)
    modelAdd(model, name, delay.priority)
  }
}

async function perform(queue: WorkQueue, clock: SimClock, model: Model, now: Step): Promise<void> {
  if (now.kind === "add") {
    queue.add(now.key, { priority: now.priority })
    modelAdd(model, now.key, now.priority)
  } else if (now.kind === "after") {
    queue.addAfter(now.key, now.ms)
    const at = model.now + now.ms
    const before = model.delays.get(now.key)
    if (before === undefined) model.delays.set(now.key, { at, priority: "normal" })
    else before.at = Math.min(before.at, at)
  } else if (now.kind === "take") {
    expect(queue.tryTake()).toBe(modelTake(model))
  } else if (now.kind === "done") {
    const name = [...model.running][now.pick % Math.max(1, model.running.size)]
    if (name === undefined) return
    queue.done(name)
    model.running.delete(name)
    const again = model.again.get(name)
    model.again.delete(name)
    if (again !== undefined) modelAdd(model, name, again)
  } else {
    await clock.advance(now.ms)
    modelAdvance(model, now.ms)
  }
}

describe("WorkQueue against a naive model", () => {
  it("agrees on every answer for any order of calls", async () => {
    const steps = fc.array(step, { minLength: 1, maxLength: 120 })
    const property = fc.asyncProperty(steps, async (all) => {
      const clock = new SimClock()
      const queue = new WorkQueue({ clock, random: new SimRandom(1) })
      const model = newModel()
      for (const one of all) {
        await perform(queue, clock, model, one)
        const waiting = priorities.reduce((sum, lane) => sum + model.lanes[lane].length, 0)
        expect(queue.depth()).toBe(waiting + model.again.size)
        expect(queue.running()).toBe(model.running.size)
        expect(queue.delayed()).toBe(model.delays.size)
      }
    })
    await fc.assert(property, { numRuns: 300 })
  })
})
