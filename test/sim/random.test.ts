import { describe, expect, it } from "vitest"
import { full } from "../full.ts"
import { randomLife } from "./random-life.ts"

const seeds = full ? 200 : 5

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

  it("are judged: a system that says there is nothing makes the oracle speak", async () => {
    const more = [{ how: "lieEmpty" }, { how: "lieEmpty" }, { how: "lieEmpty" }] as const
    const broken: string[] = []
    for (let seed = 1; seed <= 30 && broken.length === 0; seed++) {
      broken.push(...(await randomLife(seed, { more })).broken)
    }
    expect(broken.join()).toMatch(/targets of w|does not converge/)
  })

  it("are the same for the same seed", async () => {
    const [first, second] = [await randomLife(3), await randomLife(3)]
    expect(second).toEqual(first)
    expect((await randomLife(4)).trace).not.toBe(first.trace)
  })
})
