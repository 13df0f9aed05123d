// A rollback that is crashed anywhere: the person asks again until it is answered, the source holds
// the bad revision all the time. It must end as the rollback without a crash does, and stay.

import { describe, expect, it } from "vitest"
import type { Source } from "../../src/contract/source.ts"
import type { Store } from "../../src/contract/store.ts"
import { verifyJournal } from "../../src/ledger/verify-journal.ts"
import { atEveryCrashPoint, type CrashPoints } from "../../src/sim/crash-points.ts"
import { crashingPort, crashingProvider, crashingStore } from "../../src/sim/crashing-port.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import { simKind } from "../../src/sim/sim-kind.ts"
import { SimPlane } from "../../src/sim/sim-plane.ts"
import { SimWorld } from "../../src/sim/sim-world.ts"
import { ann, loops, names, widget } from "./site.ts"

const sourcePoints = { label: "source", pointed: ["read"], guarded: [] }
const loop = "default.site"

class Scenario {
  readonly clock = new SimClock()
  readonly world = new SimWorld({ clock: this.clock })
  readonly sim = new SimPlane({ clock: this.clock, kinds: [], workers: 4 })
  #points: CrashPoints | undefined

  async #start(points: CrashPoints | undefined): Promise<void> {
    this.#points = points
    const kind = simKind({ world: this.world, flavour: "single" })
    this.sim.kinds = [points === undefined ? kind : crashingProvider(kind, points)]
    this.sim.wrapStore = (store: Store) => (points ? crashingStore(store, points) : store)
    this.sim.wrapSource = (source: Source) =>
      points ? crashingPort(source, points, sourcePoints) : source
    const crashed = () => points?.crashed !== undefined
    const plane = await this.sim.startUnless(crashed)
    if (plane === undefined || crashed()) await this.#start(undefined)
  }

  async #pass(ms: number, done: () => boolean = () => false): Promise<void> {
    const end = this.clock.monotonic() + ms
    for (;;) {
      const left = Math.max(0, end - this.clock.monotonic())
      const crashed = () => this.#points?.crashed !== undefined
      await this.clock.runUntil(() => crashed() || done(), { maxMs: left })
      if (!crashed()) return
      await this.#start(undefined)
    }
  }

  /** Asks again until it is answered; what was done already is refused, and that is fine. */
  async #ask(what: () => Promise<unknown>): Promise<void> {
    for (let tries = 0; tries < 5; tries++) {
      let answered = false
      const end = () => {
        answered = true
      }
      const before = this.#points
      void what().then(end, end)
      await this.#pass(60_000, () => answered)
      if (answered && this.#points === before) return
    }
    throw new Error("nobody answers")
  }

  #declare(colour: string, extra: readonly string[] = []): void {
    const objects = [...names(3), ...extra].map((name) => widget(name, { color: colour }))
    this.sim.source.declare(objects)
  }

  async run(points: CrashPoints): Promise<void> {
    await this.#start(undefined)
    const limits = { deletes: 1, changes: 1000, window: "24h" }
    const source = { directory: { path: "/site" } }
    const object = {
      ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "Loop" },
      metadata: { name: "site", namespace: "default" },
      spec: { mode: "Enforce", interval: "20s", limits, source },
    }
    const options = { fieldManager: "ann", force: true }
    await this.#ask(() => this.sim.plane.client(ann).apply(loops, object, options))
    this.#declare("red")
    await this.#pass(10_000)
    this.#declare("blue", ["x0", "x1"])
    await this.#pass(10_000)
    await this.#crashing(points)
    const body = { loop, to: "last-good-1" }
    await this.#ask(() => this.sim.plane.client(ann).call("POST", "/setpoint/v1/rollback", body))
    await this.#pass(60_000)
  }

  /** The process ends and the one under test takes over. */
  async #crashing(points: CrashPoints): Promise<void> {
    await this.sim.stopPlane()
    await this.#start(points)
    await this.#pass(5000)
  }

  state(): string[] {
    return this.world
      .targets()
      .map(({ identity, value }) => `${identity} ${String(value.color)}`)
      .sort()
  }
}

/** Every point in full; every third else. */
const step = process.env.SETPOINT_TEST_FULL === "1" ? 1 : 3

describe("a crash at any port call of a rollback", () => {
  it("ends as one without: rolled back, the deletes held, the journal sound", async () => {
    const count = await atEveryCrashPoint(
      async ({ points, crashAt = 0 }) => {
        if (crashAt % step !== 0) return
        const scenario = new Scenario()
        await scenario.run(points)
        const after = points.crashed?.point
        const red = names(3).map((name) => `${name} red`)
        // Two deletes are over the limit of one: they wait, as they are.
        expect([after, ...scenario.state()]).toEqual([after, ...red, "x0 blue", "x1 blue"])
        const { engine, ports } = scenario.sim.plane
        expect([after, engine.plans.pending(loop)?.held.length]).toEqual([after, 2])
        expect(engine.ledger.quarantines.get(loop)?.revision).toBe("r2")
        expect(await verifyJournal(ports.store, loop)).toBeGreaterThan(5)
      },
      { pointsMax: 2000 },
    )
    console.info(`crash points of a rollback: ${count}`)
    expect(count).toBeGreaterThan(30)
  }, 300_000)
})
