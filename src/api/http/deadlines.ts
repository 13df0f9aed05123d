// One deadline for many tasks. All have the same time, so whoever came first is due first: one
// timer for the oldest is enough, and a task that ends in time costs next to nothing.

import type { Clock, Timer } from "../../base/clock.ts"

/** Something that has to be over in time. */
export interface Timed {
  /** Written by the deadlines alone. */
  due: number
  expire(): void
}

export class Deadlines {
  readonly #clock: Clock
  readonly #limitMs: number
  /** In the order in which they came. */
  readonly #waiting = new Set<Timed>()
  #timer: Timer | undefined

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock
    this.#limitMs = limitMs
  }

  /** What the task answers, or `late()` when it took too long: what it says then, nobody hears. */
  within<T>(task: Promise<T>, late: () => Error): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting: Timed = { due: 0, expire: () => reject(late()) }
      this.begin(waiting)
      task.then(
        (value) => {
          this.end(waiting)
          resolve(value)
        },
        (error) => {
          this.end(waiting)
          reject(error)
        },
      )
    })
  }

  /** From now on; it expires once, unless it ended before. */
  begin(waiting: Timed): void {
    waiting.due = this.#clock.monotonic() + this.#limitMs
    this.#waiting.add(waiting)
    this.#timer ??= this.#clock.after(this.#limitMs, () => this.#look())
  }

  /** A timer must not hold up the end of the process. */
  end(waiting: Timed): void {
    this.#waiting.delete(waiting)
    if (this.#waiting.size > 0) return
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #look(): void {
    this.#timer = undefined
    const now = this.#clock.monotonic()
    for (const waiting of this.#waiting) {
      if (waiting.due > now) {
        this.#timer = this.#clock.after(Math.ceil(waiting.due - now), () => this.#look())
        return
      }
      this.#waiting.delete(waiting)
      waiting.expire()
    }
  }
}
