// Long random lives of a pool: at every step the plan keeps its promises, and whenever the world
// stops changing the pool comes to rest. Two workloads that evict each other in turn would never.

import fc from "fast-check"
import { expect, it } from "vitest"
import { brokenClaim } from "./testing/plan-claims.ts"
import { diceOf, PoolLife } from "./testing/pool-life.ts"
import { randomSnapshot } from "./testing/random-snapshot.ts"

const lives = process.env.SETPOINT_TEST_FULL === "1" ? 2000 : 60
const seeds = fc.integer({ min: 0, max: 2 ** 31 })

/** Steps until a plan does nothing any more, with nobody on the way out and no time to wait for. */
function stepsToRest(life: PoolLife, most: number): number {
  for (let step = 0; step < most; step++) {
    const leaving = life.snapshot.workloads.some(({ state }) => state.kind === "leaving")
    const plan = life.step()
    const moves = plan.admitted.length + plan.victims.length
    if (moves === 0 && !leaving && plan.againAt === undefined) return step
  }
  return most
}

it("comes to rest whenever the world does, and stays there", () => {
  fc.assert(
    fc.property(randomSnapshot(), seeds, (snapshot, seed) => {
      const life = new PoolLife(snapshot, diceOf(seed))
      for (let round = 0; round < 4; round++) {
        for (let step = 0; step < 12; step++) {
          if (life.below(2) === 0) life.happen()
          const before = life.snapshot
          expect(brokenClaim(before, life.step())).toBeUndefined()
        }
        expect(stepsToRest(life, 200)).toBeLessThan(200)
        const rest = life.step()
        expect([...rest.admitted, ...rest.victims]).toEqual([])
      }
    }),
    { numRuns: lives },
  )
})
