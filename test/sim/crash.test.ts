import { describe, expect, it } from "vitest"
import { verifyJournal } from "../../src/ledger/journal.ts"
import { atEveryCrashPoint, CrashPoints } from "../../src/sim/crash-points.ts"
import type { SimKindOptions } from "../../src/sim/sim-kind.ts"
import { SimRandom } from "../../src/sim/sim-random.ts"
import { CrashScenario, type Lived } from "./crash-scenario.ts"

type Options = Omit<SimKindOptions, "world">
const full = process.env.SETPOINT_TEST_FULL === "1"

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

async function live(options: Options, lives: readonly CrashPoints[]): Promise<CrashScenario> {
  const scenario = new CrashScenario(options, lives)
  const lived = await scenario.run()
  expect({ ...lived, after: scenario.crashes }).toEqual({ ...once, after: scenario.crashes })
  const { store } = scenario.plane.ports
  expect(await verifyJournal(store, "default.site")).toBeGreaterThan(10)
  return scenario
}

const flavours: readonly [string, Options][] = [
  ["single", { flavour: "single" }],
  ["list", { flavour: "list" }],
  ["batch", { flavour: "batch" }],
  ["single, searchable, without marks", { identityRule: "searchable", marks: false }],
  ["single, client tokens", { identityRule: "clientToken" }],
]

it("notices what can't be mended: a create without identity that a crash cut off", async () => {
  const counting = new CrashPoints()
  const options: Options = { identityRule: "none" }
  await live(options, [counting])
  const at = counting.names.indexOf("after Widget.create") + 1
  const crashed = live(options, [new CrashPoints({ crashAt: at })])
  await expect(crashed).rejects.toThrow()
})

describe.each(flavours)("a crash at any port call (%s)", (name, options) => {
  it("converges, makes each target exactly once and forgets nothing", async () => {
    const count = await atEveryCrashPoint(
      async ({ points }) => {
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
      for (let pair = 0; pair < 300; pair++) {
        const first = new CrashPoints({ crashAt: 1 + random.below(counting.count) })
        const second = new CrashPoints({ crashAt: 1 + random.below(120) })
        await live(options, [first, second])
      }
    },
    900_000,
  )
})
