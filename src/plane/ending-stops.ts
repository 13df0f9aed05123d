// Stops that end by themselves. One ends when the wall clock says so and, in a plane that has seen
// it, as much time has passed on the monotonic clock as was left when it was first seen: a wall
// clock that jumps forward lifts nothing early. What has ended here stays ended. The file is left
// as it is: taking a line out of it unasked could take away a stop that is being written right now.

import type { Clock } from "../base/clock.ts"
import { type StopEntry, type StopSwitch, stopEnd } from "../contract/stop.ts"

interface Seen {
  /** On the monotonic clock. */
  readonly at: number
  readonly leftMs: number
  ended: boolean
}

export class EndingStops implements StopSwitch {
  readonly #file: StopSwitch
  readonly #clock: Pick<Clock, "now" | "monotonic">
  #seen = new Map<string, Seen>()

  constructor(file: StopSwitch, clock: Pick<Clock, "now" | "monotonic">) {
    this.#file = file
    this.#clock = clock
  }

  entries(): readonly StopEntry[] {
    return this.#standing(this.#file.entries())
  }

  change(edit: (standing: readonly StopEntry[]) => readonly StopEntry[]): readonly StopEntry[] {
    return this.#standing(this.#file.change((all) => edit(this.#standing(all))))
  }

  /** Milliseconds until the next one can end; undefined when none ends by itself. */
  nextEndMs(): number | undefined {
    const left = this.entries().flatMap((entry) => this.#leftMs(entry) ?? [])
    return left.length === 0 ? undefined : Math.max(0, Math.min(...left))
  }

  #standing(all: readonly StopEntry[]): readonly StopEntry[] {
    if (all.every(({ until }) => until === undefined)) return all
    const known = this.#seen
    this.#seen = new Map()
    return all.filter((entry) => {
      const key = JSON.stringify(entry)
      const seen = known.get(key) ?? this.#see(entry)
      if (seen === undefined) return true
      this.#seen.set(key, seen)
      seen.ended ||= this.#left(entry, seen) <= 0
      return !seen.ended
    })
  }

  #see(entry: StopEntry): Seen | undefined {
    const end = stopEnd(entry)
    if (end === undefined) return undefined
    const leftMs = end - this.#clock.now()
    return { at: this.#clock.monotonic(), leftMs, ended: false }
  }

  #leftMs(entry: StopEntry): number | undefined {
    const seen = this.#seen.get(JSON.stringify(entry))
    return seen === undefined ? undefined : this.#left(entry, seen)
  }

  /** The later of both clocks. */
  #left(entry: StopEntry, { at, leftMs }: Seen): number {
    const wall = (stopEnd(entry) ?? Number.POSITIVE_INFINITY) - this.#clock.now()
    return Math.max(wall, leftMs - (this.#clock.monotonic() - at))
  }
}
