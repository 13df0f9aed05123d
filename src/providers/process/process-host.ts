// What the kind knows of this host beyond one call: where the places are, what the time is, and
// what the probes say. One look at a process, for observing and for acting alike.

import type { Clock } from "../../base/clock.ts"
import type { ProcessesRead } from "../../contract/processes.ts"
import type { KindTarget } from "../../provider/define-kind.ts"
import type { Caretaker } from "./caretaker.ts"
import type { Sight } from "./facts.ts"
import { phaseOf } from "./phase.ts"
import type { ProcessSpec } from "./process-spec.ts"

export type Seen = Sight

export class ProcessHost {
  readonly #root: string
  readonly #clock: Clock
  readonly caretaker: Caretaker

  constructor(root: string, clock: Clock, caretaker: Caretaker) {
    this.#root = root
    this.#clock = clock
    this.caretaker = caretaker
  }

  directoryOf(id: string): string {
    return `${this.#root}/${id}`
  }

  /** Undefined when there is nothing, proven. */
  async see(target: KindTarget<ProcessSpec>, processes: ProcessesRead): Promise<Seen | undefined> {
    const { identity: id, desired: spec, applied } = target
    const directory = this.directoryOf(id)
    const place = await processes.look(directory, applied !== undefined)
    if (place === undefined) {
      this.caretaker.forget(directory)
      return undefined
    }
    const health = this.caretaker.health(directory, spec, place)
    const now = this.#clock.now()
    const phase = phaseOf({
      ...{ place, spec, now, hung: health.hung },
      wasStopped: applied?.state === "Stopped",
      bootId: processes.bootId(),
    })
    return { id, place, phase, health, now }
  }
}
