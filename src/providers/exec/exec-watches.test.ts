import { expect, it } from "vitest"
import { worldWith } from "../../provider/missing-handles.ts"
import { SimClock } from "../../sim/sim-clock.ts"
import { ExecWatches } from "./exec-watches.ts"

it("goes on when a program that watched can't be started again", async () => {
  const clock = new SimClock()
  const ends: (() => void)[] = []
  let starts = 0
  const commands = {
    ...worldWith({}).commands,
    follow(_request: unknown, _line: unknown, ended: (cause: string) => void) {
      starts++
      if (starts === 2) throw new Error("no memory")
      ends.push(() => ended("it ended"))
      return { close: () => {} }
    },
  }
  const watch = new ExecWatches(clock).follow("k", commands, { argv: ["watcher"] }, () => {})
  ends[0]?.()
  await clock.advance(600_000)
  expect(starts).toBe(3)
  watch.close()
})
