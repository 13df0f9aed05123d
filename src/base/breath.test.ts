import { expect, test } from "vitest"
import { SimClock } from "../sim/sim-clock.ts"
import { Breath } from "./breath.ts"

test("asks for a breath only when the turn has lasted, and all who ask share it", async () => {
  const clock = new SimClock()
  const breath = new Breath(clock)
  expect(breath.due()).toBeUndefined()
  await clock.advance(20)
  const first = breath.due()
  expect(first).toBeInstanceOf(Promise)
  expect(breath.due()).toBe(first)
  await clock.advance(1)
  await first
  expect(breath.due()).toBeUndefined()
})
