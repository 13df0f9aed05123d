// Forgets the past in two steps: the mark moves at once, so that nobody reads what is going; then
// the rows that no read can see any more are dropped in small steps between other work.

import type { Revision } from "../contract/store.ts"
import { type Engine, lastPlace, type Marks } from "./engine.ts"
import type { KeyIndex } from "./key-index.ts"

const rowsSeenPerStep = 16_384
const rowsDroppedPerStep = 1024

export class Compaction {
  readonly #engine: Engine
  readonly #index: KeyIndex
  #compacted: Revision
  #swept: Revision
  #running: Promise<void> | undefined
  #stopped = false

  constructor(engine: Engine, index: KeyIndex, marks: Marks) {
    this.#engine = engine
    this.#index = index
    this.#compacted = marks.compacted
    this.#swept = marks.swept
  }

  /** The oldest revision that can be read. */
  get oldest(): Revision {
    return this.#compacted
  }

  get finished(): boolean {
    return this.#swept === this.#compacted
  }

  /** Ends when everything up to the newest mark has been dropped. */
  compact(before: Revision): Promise<void> {
    if (before > this.#compacted) this.#compacted = before
    this.#running ??= this.#sweepAll().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running?.catch(() => {})
  }

  async #sweepAll(): Promise<void> {
    while (this.#swept < this.#compacted && !this.#stopped) {
      const target = this.#compacted
      let after: string | undefined = ""
      while (after !== undefined && !this.#stopped) {
        const asOf = lastPlace(target)
        const step = this.#index.superseded(after, asOf, rowsSeenPerStep, rowsDroppedPerStep)
        after = step.next
        if (step.found.length > 0) {
          const places = step.found.map((row) => row.place).sort((a, b) => a - b)
          await this.#engine.sweep({ compacted: target, swept: this.#swept }, places)
          for (const row of step.found) this.#index.remove(row.key, row.place)
        }
        await this.#engine.pause()
      }
      if (this.#stopped) return
      await this.#engine.sweep({ compacted: target, swept: target }, [])
      this.#swept = target
    }
  }
}
