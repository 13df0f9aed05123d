// Two planes over one store and one world: the second took over while the first is still running
// and does not know it, as after a partition.

import type { JsonObject } from "../../src/base/json.ts"
import type { Store } from "../../src/contract/store.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import { simKind } from "../../src/sim/sim-kind.ts"
import { SimPlane } from "../../src/sim/sim-plane.ts"
import { SimRandom } from "../../src/sim/sim-random.ts"
import { SimWorld } from "../../src/sim/sim-world.ts"
import { openMemoryStore } from "../../src/store/open-memory-store.ts"
import { ann } from "../sim/site.ts"

/** The shared store as a plane sees that opened it just now; earlier ones are fenced off. */
async function takeOver(shared: Store, epoch: number): Promise<Store> {
  const key = "/fence"
  const value = new TextEncoder().encode(String(epoch))
  const raised = await shared.commit([], [{ kind: "put", key, value }])
  if (raised.kind === "refused") throw new Error("nothing was checked")
  const identity = { ...shared.identity, epoch, epochCheck: { key, modRevision: raised.revision } }
  return new Proxy(shared, {
    get: (target, name) => {
      if (name === "identity") return identity
      const member: unknown = Reflect.get(target, name)
      return typeof member === "function" ? member.bind(target) : member
    },
  })
}

export class TwoPlanes {
  readonly clock = new SimClock()
  readonly world = new SimWorld({ clock: this.clock })
  readonly #kinds = [simKind({ world: this.world })]
  readonly first = new SimPlane({ clock: this.clock, kinds: this.#kinds, seed: 1 })
  readonly second = new SimPlane({ clock: this.clock, kinds: this.#kinds, seed: 9 })
  #shared: Store | undefined

  async startFirst(loop: JsonObject): Promise<void> {
    this.#shared = await openMemoryStore({ clock: this.clock, random: new SimRandom(5) })
    const store = await takeOver(this.#shared, 1)
    this.first.wrapStore = () => store
    await this.first.start()
    await this.apply("loops", {
      apiVersion: "setpoint.dev/v1alpha1",
      kind: "Loop",
      metadata: { name: "site", namespace: "default" },
      spec: { mode: "Enforce", source: { directory: { path: "/site" } }, ...loop },
    })
  }

  /** The first one goes on running. */
  async startSecond(): Promise<void> {
    if (this.#shared === undefined) throw new Error("the first plane comes first")
    const store = await takeOver(this.#shared, 2)
    this.second.wrapStore = () => store
    await this.second.start()
  }

  async apply(resource: string, object: ApiObject): Promise<void> {
    const ref = { group: "setpoint.dev", version: "v1alpha1", resource }
    const client = this.first.plane.client(ann)
    const made = client.apply(ref, object, { fieldManager: "ann", force: true })
    await this.clock.advance(1000)
    await made
  }
}
