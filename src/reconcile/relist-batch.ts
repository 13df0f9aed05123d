// Keys whose target was acted on and whose next observation is a listing. A listing must have begun
// after the act, so looking after each act would list the whole scope each time; these keys wait
// for each other for a moment and share one. A single act never waits.

import type { Clock, Timer } from "../base/clock.ts"

const waitMs = 500

export class RelistBatch {
  readonly #clock: Clock
  readonly #look: (key: string) => void
  #keys: string[] = []
  #timer: Timer | undefined

  constructor(clock: Clock, look: (key: string) => void) {
    this.#clock = clock
    this.#look = look
  }

  add(key: string): void {
    this.#keys.push(key)
    this.#timer ??= this.#clock.after(waitMs, () => this.flush())
  }

  /** Nothing else is under way that could share the listing. */
  flush(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    for (const key of this.#keys.splice(0)) this.#look(key)
  }

  clear(): void {
    this.#keys = []
    this.flush()
  }
}
