// Lets a bounded number of probes be asked at once, the others in turn. Who waits long for its
// answer makes room, so that processes that hang don't keep others from being asked; how many may
// do that is bounded, too. What nobody wants to know any more by its turn is passed over.

import type { Clock, Timer } from "../../base/clock.ts"

export interface Ask {
  /** Its answer would not count any more. */
  isStale(): boolean
  /** Until it is answered. Never rejects. */
  run(): Promise<void>
}

const asksMax = 32
/** Most answers come within a fraction of it. */
const roomAfterMs = 1000
const longAsksMax = 512

export class ProbeQueue {
  readonly #clock: Clock
  readonly #waiting: Ask[] = []
  #asking = 0
  /** Those that made room. */
  #long = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(ask: Ask): void {
    this.#waiting.push(ask)
    this.#next()
  }

  #next(): void {
    while (this.#asking < asksMax) {
      const ask = this.#waiting.shift()
      if (ask === undefined) return
      if (!ask.isStale()) this.#begin(ask)
    }
  }

  #begin(ask: Ask): void {
    this.#asking++
    let timer: Timer | undefined
    const makeRoom = () => {
      timer = undefined
      if (this.#long >= longAsksMax) {
        timer = this.#clock.after(roomAfterMs, makeRoom)
        return
      }
      this.#asking--
      this.#long++
      this.#next()
    }
    timer = this.#clock.after(roomAfterMs, makeRoom)
    void ask.run().finally(() => {
      if (timer === undefined) this.#long--
      else this.#asking--
      timer?.cancel()
      this.#next()
    })
  }
}
