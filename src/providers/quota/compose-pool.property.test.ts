// A pool in a world where everything goes wrong at any moment: the plane dies between two writes,
// processes take their time, quotas and workloads change meanwhile. No GPU is ever used by two, no
// workload is stopped without its work saved, and when the trouble ends the pool comes to rest.

import fc from "fast-check"
import { expect, it } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"
import { type Dice, diceOf } from "./testing/pool-life.ts"
import { SimulatedPool } from "./testing/simulated-pool.ts"

const lives = process.env.SETPOINT_TEST_FULL === "1" ? 500 : 25

/** What really runs, whatever the objects say: set by acts alone. */
class World {
  readonly pool = new SimulatedPool()
  readonly #dice: Dice
  readonly #alive = new Map<string, JsonObject>()
  readonly #saved = new Set<string>()
  readonly broken: string[] = []
  #made = 0

  constructor(dice: Dice) {
    this.#dice = dice
    this.pool.node("n1", 4)
    this.pool.node("n2", 3)
    this.pool.tenant("ann", 4, { borrowLimit: 2 })
    this.pool.tenant("bob", 3, { guaranteed: 1 })
    for (const name of ["ann", "bob"]) {
      this.pool.change("Tenant", name, (spec) => ({ ...spec, reclaimGraceSeconds: 3600 }))
    }
  }

  below(count: number): number {
    return Math.floor(this.#dice() * count)
  }

  happen(): void {
    const { pool } = this
    const event = this.below(6)
    if (event < 2) {
      const checkpoint = { command: ["save"], graceSeconds: 1000 }
      const shape = { gpus: 1 + this.below(2), members: 1 + this.below(2), priority: this.below(3) }
      const flavor = this.below(3) > 0 ? "a100" : "h100"
      const name = `w${this.#made++}`
      pool.workload(name, this.below(2) === 0 ? "ann" : "bob", { ...shape, flavor, checkpoint })
      for (const member of [0, 1]) pool.ends.set(`gpu-checkpoint.${name}.${member}`, "Completed")
    } else if (event === 2) {
      const tenant = this.below(2) === 0 ? "ann" : "bob"
      const quota = { nominal: this.below(6), guaranteed: 0, borrowLimit: this.below(4), weight: 1 }
      pool.change("Tenant", tenant, (spec) => ({ ...spec, quota: { a100: quota, h100: quota } }))
    } else if (event === 3) {
      const own = pool.related.filter(({ kind }) => kind === "Workload")
      const gone = own[this.below(own.length * 3)]
      if (gone !== undefined) pool.remove("Workload", gone.metadata.name)
    } else if (event === 4) this.#remakeNode()
    else pool.now += this.below(40) * 1000
  }

  /** Deleted and made anew while processes run there: sometimes as what it is not. */
  #remakeNode(): void {
    const flavor = this.below(2) === 0 ? "a100" : "h100"
    this.pool.remove("GpuNode", "n2")
    this.pool.node("n2", 1 + this.below(3), { flavor })
  }

  /** Some processes start, stop or end, and are reported on. */
  act(due: (name: string) => boolean): void {
    const chosen = this.pool.children.map(({ metadata }) => metadata.name).filter(due)
    this.pool.act((name) => chosen.includes(name))
    for (const child of this.pool.children) this.#follow(child)
    const names = new Set(this.pool.children.map(({ metadata }) => metadata.name))
    for (const name of this.#alive.keys()) if (!names.has(name)) this.#alive.delete(name)
  }

  #follow({ metadata, spec, status }: ApiObject): void {
    const { name } = metadata
    const phase = (status?.outputs as JsonObject | undefined)?.phase
    const env = spec?.env as JsonObject
    if (name.startsWith("gpu-checkpoint.")) {
      if (phase === "Completed") this.#saved.add(name.replace("-checkpoint", ""))
      return
    }
    if (phase === "Running" && !this.#alive.has(name)) {
      this.#alive.set(name, env)
      this.#saved.delete(name)
    }
    if (phase !== "Stopped" || !this.#alive.delete(name)) return
    if (!this.#saved.has(name)) this.broken.push(`${name} was stopped and not saved`)
  }

  sharedDevices(): readonly string[] {
    const taken = [...this.#alive.values()].flatMap(
      ({ SETPOINT_NODE: node, SETPOINT_GPUS: gpus }) =>
        String(gpus)
          .split(",")
          .map((gpu) => `${String(node)}/${gpu}`),
    )
    return taken.filter((place, index) => taken.indexOf(place) !== index)
  }
}

it("never shares a GPU, saves before it stops, and comes to rest", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
      const dice = diceOf(seed)
      const world = new World(dice)
      for (let step = 0; step < 60; step++) {
        if (world.below(2) === 0) world.happen()
        world.pool.compose(world.below(3) === 0 ? world.below(4) : undefined)
        world.act(() => world.below(3) === 0)
        expect(world.sharedDevices()).toEqual([])
      }
      for (let step = 0; step < 60; step++) {
        world.pool.compose()
        world.act(() => true)
        world.pool.now += 1000
      }
      expect(world.pool.compose()).toBe(0)
      expect(world.broken).toEqual([])
      expect(world.pool.inPhase("Preempting")).toEqual([])
    }),
    { numRuns: lives },
  )
})
