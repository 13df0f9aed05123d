// Hints from programs: one process for all targets of a kind that are looked at together, which
// prints a line whenever something may have changed. A line is never believed, only looked after; a
// process that ends is started again after a pause that grows, and everything is looked at then.

import type { Clock } from "../../base/clock.ts"
import type { CommandRequest, CommandsRead } from "../../contract/commands.ts"
import type { Closeable } from "../../contract/world.ts"

const pauseFirstMs = 1000
const pauseMaxMs = 60_000

interface Watch {
  readonly followers: Set<() => void>
  close(): void
}

export class ExecWatches {
  readonly #clock: Pick<Clock, "after">
  readonly #watches = new Map<string, Watch>()

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock
  }

  /** `key` says which targets share a process. */
  follow(
    key: string,
    commands: CommandsRead,
    request: CommandRequest,
    changed: () => void,
  ): Closeable {
    const watch = this.#watches.get(key) ?? this.#begin(commands, request)
    this.#watches.set(key, watch)
    watch.followers.add(changed)
    return {
      close: () => {
        watch.followers.delete(changed)
        if (watch.followers.size > 0 || this.#watches.get(key) !== watch) return
        this.#watches.delete(key)
        watch.close()
      },
    }
  }

  #begin(commands: CommandsRead, request: CommandRequest): Watch {
    const followers = new Set<() => void>()
    const tell = () => {
      for (const changed of [...followers]) changed()
    }
    let failures = 0
    let closed = false
    let running: Closeable | undefined
    const ended = () => {
      if (closed) return
      const delay = Math.min(pauseMaxMs, pauseFirstMs * 2 ** Math.min(failures, 10))
      failures++
      const timer = this.#clock.after(delay, () => {
        try {
          running = start()
        } catch {
          ended() // Nobody would hear of it in a timer; hints may be late.
        }
        tell()
      })
      running = { close: () => timer.cancel() }
    }
    const start = (): Closeable =>
      commands.follow(
        request,
        () => {
          failures = 0
          tell()
        },
        ended,
      )
    running = start()
    const close = () => {
      closed = true
      running?.close()
    }
    return { followers, close }
  }
}
