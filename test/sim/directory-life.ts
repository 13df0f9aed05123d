// A simulated plane that keeps one Directory on simulated files, dies where it is told to and lives
// again over the same store and the same files. It judges nothing.

import { expect } from "vitest"
import { at, type JsonObject } from "../../src/base/json.ts"
import type { KindProvider } from "../../src/contract/provider.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { worldWith } from "../../src/provider/missing-handles.ts"
import { fileKinds } from "../../src/providers/file/file-kinds.ts"
import { CrashPoints } from "../../src/sim/crash-points.ts"
import { crashingFiles, crashingStore } from "../../src/sim/crashing-port.ts"
import { memoryFiles } from "../../src/sim/memory-files.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import { SimHttp } from "../../src/sim/sim-http.ts"
import { SimPlane } from "../../src/sim/sim-plane.ts"
import { SimRandom } from "../../src/sim/sim-random.ts"
import { ann, loops } from "./site.ts"

const directories = { group: "host.setpoint.dev", version: "v1", resource: "directories" } as const

export const directory = (spec: JsonObject = {}): ApiObject => ({
  ...{ apiVersion: "host.setpoint.dev/v1", kind: "Directory", metadata: { name: "d" } },
  spec: { path: "/srv/d", mode: "2750", owner: "7", group: "8", ...spec },
})

/** As `found` says it when it is as declared. */
export const complete = "directory 2750 7 8"

/** Acts through files that die with the process. */
function dyingWith(kind: KindProvider, points: CrashPoints): KindProvider {
  const mortal =
    (verb: "create" | "update" | "delete"): KindProvider["create"] =>
    (target, { world, ...rest }) => {
      const files = crashingFiles(world.files, points)
      return kind[verb](target, { ...rest, world: { ...world, files } })
    }
  return { ...kind, create: mortal("create"), update: mortal("update"), delete: mortal("delete") }
}

export class DirectoryLife {
  readonly clock = new SimClock()
  readonly files = memoryFiles({ clock: this.clock, random: new SimRandom(1) })
  /** The same files in the hands of somebody who does not know of the plane. */
  readonly somebody = this.files.as({ uid: 0, gid: 0 }, "somebody")
  readonly sim = new SimPlane({
    ...{ clock: this.clock, kinds: [], workers: 2 },
    world: worldWith({ files: this.files, http: new SimHttp(this.clock) }),
  })

  /** With a loop that has nothing to do, and no plane running. */
  static async begin(spec: JsonObject = {}): Promise<DirectoryLife> {
    const life = new DirectoryLife()
    await life.somebody.mkdir("/srv", 0o755)
    await life.#start(new CrashPoints())
    const loop: ApiObject = {
      ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "Loop" },
      metadata: { name: "site", namespace: "default" },
      spec: { mode: "Enforce", source: { directory: { path: "/site" } }, ...spec },
    }
    const { plane } = life.sim
    await life.#answer(plane.client(ann).apply(loops, loop, { fieldManager: "ann" }))
    await life.sim.stopPlane()
    return life
  }

  declare(...objects: readonly ApiObject[]): this {
    this.sim.source.declare(objects)
    return this
  }

  /** Lives until it dies, or until nothing is left to do. */
  async live(points = new CrashPoints()): Promise<void> {
    if (!(await this.#start(points))) return
    await this.clock.runUntil(() => points.crashed !== undefined, { maxMs: 3 * 60_000 })
  }

  async diesAt(point: string): Promise<void> {
    await this.meets(point, (points) => points.crash(point))
  }

  /** When the plane first comes to this point, somebody does that. */
  async meets(point: string, doing: (points: CrashPoints) => void | Promise<void>): Promise<void> {
    const points = new CrashPoints()
    const pass = points.point.bind(points)
    let met = false
    points.point = async (passed) => {
      const first = passed === point && !met
      met ||= first
      if (first) await doing(points)
      await pass(passed)
    }
    await this.live(points)
    expect([point, met]).toEqual([point, true])
  }

  async #start(points: CrashPoints): Promise<boolean> {
    const kinds = fileKinds({ roots: ["/"], forbidden: [], clock: this.clock })
    this.sim.kinds = kinds.map((kind) => dyingWith(kind, points))
    this.sim.wrapStore = (store) => crashingStore(store, points)
    return (await this.sim.startUnless(() => points.crashed !== undefined)) !== undefined
  }

  async found(path = "/srv/d"): Promise<string | undefined> {
    const stat = await this.files.lstat(path)
    return stat && `${stat.type} ${stat.mode.toString(8)} ${stat.uid} ${stat.gid}`
  }

  async names(): Promise<readonly string[]> {
    return (await this.files.list("/srv")).map(({ name }) => name).sort()
  }

  /** Everything that the plane did to the files. */
  calls(): readonly string[] {
    const own = this.files.space.log.filter(({ who }) => who === "plane")
    return own.map(({ call, path }) => `${call} ${path}`)
  }

  /** Of the object's Ready condition. */
  async reason(): Promise<unknown> {
    const place = { ...directories, namespace: "default", name: "d" }
    const object = await this.#answer(this.sim.plane.client(ann).get(place))
    const conditions = at(object?.status, "conditions")
    if (!Array.isArray(conditions)) return undefined
    const ready = conditions.find((one) => at(one, "type") === "Ready")
    return at(ready, "reason")
  }

  /** Waits while virtual time passes. */
  async #answer<T>(promise: Promise<T>): Promise<T> {
    let ended = false
    const end = () => {
      ended = true
    }
    promise.then(end, end)
    await this.clock.runUntil(() => ended, { maxMs: 600_000 })
    return promise
  }
}
