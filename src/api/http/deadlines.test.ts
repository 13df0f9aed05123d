import { describe, expect, it } from "vitest"
import { deferred } from "../../base/async.ts"
import { SimClock } from "../../sim/sim-clock.ts"
import { Deadlines } from "./deadlines.ts"

const late = () => new Error("late")

describe("deadlines", () => {
  it("end what takes too long, each at its own time, and nothing else", async () => {
    const clock = new SimClock()
    const deadlines = new Deadlines(clock, 1000)
    const ended: string[] = []
    const run = (name: string) => {
      const task = deferred<string>()
      const told = (text: string) => ended.push(`${name} ${text} at ${clock.monotonic()}`)
      deadlines.within(task.promise, late).then(told, (error: Error) => told(error.message))
      return task
    }
    const first = run("first")
    await clock.advance(400)
    const second = run("second")
    await clock.advance(300)
    run("third")
    first.resolve("done")
    await clock.advance(600)
    second.reject(new Error("failed"))
    await clock.advance(1000)
    expect(ended).toEqual(["first done at 700", "second failed at 1300", "third late at 1700"])
  })

  it("say nothing of what a late task does in the end", async () => {
    const clock = new SimClock()
    const task = deferred<string>()
    const answer = new Deadlines(clock, 10).within(task.promise, late)
    const refused = expect(answer).rejects.toThrow("late")
    await clock.advance(10)
    await refused
    task.reject(new Error("nobody hears this"))
    await clock.advance(10)
  })

  it("hold no timer while nothing runs", async () => {
    const timers = new Set<object>()
    const clock = {
      now: () => 0,
      monotonic: () => 0,
      after: () => {
        const timer = { cancel: () => void timers.delete(timer) }
        timers.add(timer)
        return timer
      },
    }
    const deadlines = new Deadlines(clock, 1000)
    const tasks = [deferred<number>(), deferred<number>()]
    const answers = tasks.map(({ promise }) => deadlines.within(promise, late))
    expect(timers.size).toBe(1)
    for (const [at, task] of tasks.entries()) task.resolve(at)
    expect(await Promise.all(answers)).toEqual([0, 1])
    expect(timers.size).toBe(0)
  })
})
