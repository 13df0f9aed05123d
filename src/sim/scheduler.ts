// Seeded interleaving. Code under test parks at named points; when nothing else can run, one parked
// task is chosen by the seed and goes on. So every order of ready tasks can happen, and one seed
// gives the same order.

import { type Deferred, deferred } from "../base/async.ts"
import type { SimRandom } from "./sim-random.ts"
import type { Trace } from "./trace.ts"

export class Scheduler {
  readonly #random: SimRandom
  readonly #trace: Trace | undefined
  readonly #parked: { readonly name: string; readonly gate: Deferred<void> }[] = []

  constructor(random: SimRandom, trace?: Trace) {
    this.#random = random
    this.#trace = trace
  }

  get parked(): number {
    return this.#parked.length
  }

  /** Parks the caller until the seed chooses it. */
  point(name: string): Promise<void> {
    const gate = deferred<void>()
    this.#parked.push({ name, gate })
    return gate.promise
  }

  /** Runs the task after a point of this name. */
  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    await this.point(name)
    return task()
  }

  /** Lets one parked task go on; false when none is parked. */
  step(): boolean {
    const [chosen] = this.#parked.splice(this.#random.below(this.#parked.length), 1)
    if (chosen === undefined) return false
    this.#trace?.add(`run ${chosen.name}`)
    chosen.gate.resolve()
    return true
  }
}
