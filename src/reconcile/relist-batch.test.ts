import { expect, test } from "vitest"
import { SimClock } from "../sim/sim-clock.ts"
import { RelistBatch } from "./relist-batch.ts"

test("lets keys wait for each other, and none of them for ever", async () => {
  const clock = new SimClock()
  const looked: string[] = []
  const batch = new RelistBatch(clock, (key) => looked.push(key))
  batch.add("a")
  await clock.advance(400)
  batch.add("b")
  expect(looked).toEqual([])
  await clock.advance(200)
  expect(looked).toEqual(["a", "b"])
})

test("looks at once when nothing else is under way, and never twice", async () => {
  const clock = new SimClock()
  const looked: string[] = []
  const batch = new RelistBatch(clock, (key) => looked.push(key))
  batch.add("a")
  batch.flush()
  expect(looked).toEqual(["a"])
  await clock.advance(10_000)
  expect(looked).toEqual(["a"])
})

test("drops what waits when it is cleared", async () => {
  const clock = new SimClock()
  const looked: string[] = []
  const batch = new RelistBatch(clock, (key) => looked.push(key))
  batch.add("a")
  batch.clear()
  await clock.advance(10_000)
  expect(looked).toEqual([])
})
