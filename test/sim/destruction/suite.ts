// Half of the property: as many random lives as it takes to judge so many steps. Two test files run
// one half each, so that both cores work. A case is one random step of a life (an edit, a delete, a
// fault, a jump, a crash ...) with everything that follows from it, judged when it is over.
// SEED=n lives that one again and tells the fewest steps that break it.

import { expect, it } from "vitest"
import { type Life, live, shrink, tell } from "./life.ts"

const one = process.env.SEED

/** Each of the two files has half of 10,000; test/soak asks for ten times as many. */
const usual = 5000

export function destructionHalf(firstSeed: number, casesPerHalf = usual): void {
  it(`${casesPerHalf} steps destroy no more than was allowed or approved`, async () => {
    const seen = {
      lives: 0,
      cases: 0,
      rounds: 0,
      acts: 0,
      destructions: 0,
      approved: 0,
      crashes: 0,
    }
    let seed = one === undefined ? firstSeed : Number(one)
    while (seen.cases < casesPerHalf) {
      const life = await live(seed++)
      if (life.broken.length > 0) expect.fail(tell(await shrink(life)))
      count(seen, life)
      if (one !== undefined) break
    }
    console.info(`destruction: ${JSON.stringify(seen)}`)
    if (one !== undefined) return
    // Otherwise the oracle had too little to look at.
    expect(seen.destructions).toBeGreaterThan(seen.cases / 20)
    expect(seen.approved).toBeGreaterThan(seen.cases / 200)
    expect(seen.crashes).toBeGreaterThan(seen.cases / 50)
  }, 900_000)
}

type Seen = Record<
  "lives" | "cases" | "rounds" | "acts" | "destructions" | "approved" | "crashes",
  number
>

function count(seen: Seen, life: Life): void {
  seen.lives++
  const numbers = ["cases", "rounds", "acts", "destructions", "approved", "crashes"] as const
  for (const name of numbers) seen[name] += life[name]
}
