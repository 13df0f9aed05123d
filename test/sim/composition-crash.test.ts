// A composite whose plane dies at any call to store or provider: children are made once each, the
// replaced ones go once each, and nothing is left over.

import { expect, it } from "vitest"
import type { Store } from "../../src/contract/store.ts"
import { atEveryCrashPoint, type CrashPoints } from "../../src/sim/crash-points.ts"
import { crashingProvider, crashingStore } from "../../src/sim/crashing-port.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import { simKind } from "../../src/sim/sim-kind.ts"
import { SimPlane } from "../../src/sim/sim-plane.ts"
import { SimWorld } from "../../src/sim/sim-world.ts"
import { shelf, shelfKind } from "./shelf.ts"
import { ann, loops } from "./site.ts"

const step = process.env.SETPOINT_TEST_FULL === "1" ? 1 : 12

class Life {
  readonly clock = new SimClock()
  readonly world = new SimWorld({ clock: this.clock })
  readonly sim = new SimPlane({ clock: this.clock, kinds: [], composites: [shelfKind()] })
  #points: CrashPoints | undefined

  constructor(points: CrashPoints) {
    this.#points = points
  }

  async run(): Promise<string[]> {
    await this.#start()
    await this.#loop()
    this.sim.source.declare([shelf("s", { count: 2 })])
    await this.#until(() => this.world.targets().length === 2)
    this.sim.source.declare([shelf("s", { count: 2, series: "n", color: "blue" })])
    await this.#until(() => this.world.find("s-w0").length + this.world.find("s-w1").length === 0)
    await this.#pass(120_000)
    return this.world.ledger.map((one) => `${one.verb} ${one.identity}`).sort()
  }

  readonly #crashed = () => this.#points?.crashed !== undefined

  async #start(): Promise<void> {
    for (;;) {
      const points = this.#points
      const kind = simKind({ world: this.world, fungible: true })
      this.sim.kinds = [points === undefined ? kind : crashingProvider(kind, points)]
      this.sim.wrapStore = (store: Store) => (points ? crashingStore(store, points) : store)
      const plane = await this.sim.startUnless(this.#crashed)
      if (plane !== undefined && !this.#crashed()) return
      this.#points = undefined
    }
  }

  async #loop(): Promise<void> {
    const spec = { mode: "Enforce", interval: "20s", source: { directory: { path: "/site" } } }
    const metadata = { name: "site", namespace: "default" }
    const object = { apiVersion: "setpoint.dev/v1alpha1", kind: "Loop", metadata, spec }
    const options = { fieldManager: "ann", force: true }
    for (let tries = 0, answered = false; tries < 5 && !answered; tries++) {
      const end = (done: boolean) => {
        answered = done
      }
      const asked = this.sim.plane.client(ann).apply(loops, object, options)
      asked.then(
        () => end(true),
        () => {},
      )
      await this.#pass(30_000, () => answered)
    }
  }

  async #pass(ms: number, done: () => boolean = () => false): Promise<boolean> {
    const end = this.clock.monotonic() + ms
    for (;;) {
      const maxMs = Math.max(0, end - this.clock.monotonic())
      await this.clock.runUntil(() => this.#crashed() || done(), { maxMs })
      if (!this.#crashed()) return done()
      this.#points = undefined
      await this.#start()
    }
  }

  async #until(done: () => boolean): Promise<void> {
    if (!(await this.#pass(30 * 60_000, done))) throw new Error("not within half an hour")
  }
}

it("makes each child and deletes each replaced one once, wherever the plane dies", async () => {
  const count = await atEveryCrashPoint(
    async ({ points, crashAt }) => {
      if (crashAt !== undefined && crashAt % step !== 0) return
      expect(await new Life(points).run()).toEqual([
        "created s-n0",
        "created s-n1",
        "created s-w0",
        "created s-w1",
        "deleted s-w0",
        "deleted s-w1",
      ])
    },
    { pointsMax: 5000 },
  )
  expect(count).toBeGreaterThan(100)
}, 600_000)
