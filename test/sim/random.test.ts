import { describe, expect, it } from "vitest"
import { randomLife } from "./random-life.ts"

const full = process.env.SETPOINT_TEST_FULL === "1"
const seeds = full ? 400 : 24

describe("random lives", () => {
  it("break no promise, whatever the seed", async () => {
    let acts = 0
    let crashes = 0
    for (let seed = 1; seed <= seeds; seed++) {
      const life = await randomLife(seed)
      expect({ seed, broken: life.broken }).toEqual({ seed, broken: [] })
      acts += life.acts
      crashes += life.crashes
    }
    console.info(`random lives: ${seeds} seeds, ${acts} acts, ${crashes} crashes`)
    expect(acts).toBeGreaterThan(seeds * 5)
    expect(crashes).toBeGreaterThan(seeds / 2)
  }, 900_000)

  it("are the same for the same seed", async () => {
    const [first, second] = [await randomLife(3), await randomLife(3)]
    expect(second).toEqual(first)
    expect((await randomLife(4)).trace).not.toBe(first.trace)
  })
})
