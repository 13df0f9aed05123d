// What a plane tells of itself in numbers: gauges that are set before each exposition, and the
// charts of the last minutes.

import { type PlaneMoment, planeMoment } from "./loop-facts.ts"
import { LoopGauges } from "./loop-gauges.ts"
import { LoopSeries } from "./loop-series.ts"
import type { Plane } from "./plane.ts"
import { PlaneGauges } from "./plane-gauges.ts"

export class PlaneTelemetry {
  readonly #plane: Plane
  readonly #openedAt: number
  readonly series: LoopSeries

  constructor(plane: Plane) {
    this.#plane = plane
    this.#openedAt = plane.ports.clock.now()
    this.series = new LoopSeries(plane, () => this.#moment())
  }

  /** Once everything that is shown is open. */
  start(): void {
    const loops = new LoopGauges(this.#plane)
    const whole = new PlaneGauges(this.#plane)
    this.#plane.ports.metrics.onCollect(() => {
      const moment = this.#moment()
      loops.collect(moment)
      whole.collect(moment)
    })
    this.series.start()
  }

  close(): void {
    this.series.close()
  }

  /** A loop that is gone leaves neither series nor charts behind. */
  forget(loop: string): void {
    this.series.forget(loop)
    this.#plane.engine.meters.loops.forget(loop)
  }

  #moment(): PlaneMoment {
    return planeMoment(this.#plane, this.#openedAt)
  }
}
