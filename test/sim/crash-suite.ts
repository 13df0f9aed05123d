// The suite over crash points: every life with a crash must come out as the one without.

import { describe, expect, it } from "vitest"
import { verifyJournal } from "../../src/ledger/verify-journal.ts"
import { atEveryCrashPoint, CrashPoints } from "../../src/sim/crash-points.ts"
import type { SimKindOptions } from "../../src/sim/sim-kind.ts"
import { SimRandom } from "../../src/sim/sim-random.ts"
import { full } from "../full.ts"
import { CrashScenario, type Lived } from "./crash-scenario.ts"

export type CrashOptions = Omit<SimKindOptions, "world">
/** All points in full; else every fourth, another one for each kind: together they meet all. */
const step = full ? 1 : 4

const once: Lived = {
  mutations: [
    "created a",
    "created b",
    "created c",
    "created d",
    "deleted c",
    "deleted d",
    "updated a",
    "updated b",
    "updated b",
  ],
  there: ['a {"name":"a","size":2,"color":"red"}', 'b {"name":"b","size":1,"color":"red"}'],
  objects: ["a", "b"],
  records: 2,
  claims: 2,
  intents: 0,
  plans: ["Done"],
  unrest: 0,
}

export async function live(
  options: CrashOptions,
  lives: readonly CrashPoints[],
): Promise<CrashScenario> {
  const scenario = new CrashScenario(options, lives)
  const lived = await scenario.run()
  expect({ ...lived, after: scenario.crashes }).toEqual({ ...once, after: scenario.crashes })
  const { store } = scenario.plane.ports
  expect(await verifyJournal(store, "default.site")).toBeGreaterThan(10)
  return scenario
}

/** Crashes before and after calls to store, provider and source, for each of these kinds. */
export function crashSuite(kinds: readonly (readonly [string, CrashOptions])[], first = 0): void {
  describe.each(kinds)("a crash at any port call (%s)", (name, options) => {
    const offset = first + kinds.findIndex((kind) => kind[0] === name)
    it("converges, makes each target exactly once and forgets nothing", async () => {
      const count = await atEveryCrashPoint(
        async ({ points, crashAt }) => {
          if (crashAt !== undefined && (crashAt + offset) % step !== 0) return
          const { crashes } = await live(options, [points])
          if (points.crashed !== undefined) expect(crashes).toHaveLength(1)
        },
        { pointsMax: 5000 },
      )
      console.info(`crash points (${name}): ${count}`)
      expect(count).toBeGreaterThan(100)
    }, 600_000)

    it.runIf(full)(
      "and a second one while it recovers",
      async () => {
        const random = new SimRandom(7)
        const counting = new CrashPoints()
        await live(options, [counting])
        for (let pair = 0; pair < 80; pair++) {
          const first = new CrashPoints({ crashAt: 1 + random.below(counting.count) })
          const second = new CrashPoints({ crashAt: 1 + random.below(120) })
          await live(options, [first, second])
        }
      },
      900_000,
    )
  })
}
