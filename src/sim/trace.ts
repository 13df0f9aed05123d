// What happened, in order, as one hash: two runs of one seed must give the same. Only the last
// lines are kept as text; the hash covers all of them.

import { createHash } from "node:crypto"

export class Trace {
  readonly #hash = createHash("sha256")
  readonly #last: string[] = []
  readonly #keep: number
  #length = 0

  constructor(keep = 1000) {
    this.#keep = keep
  }

  get length(): number {
    return this.#length
  }

  add(line: string): void {
    this.#hash.update(`${line}\n`)
    this.#length++
    this.#last.push(line)
    if (this.#last.length > 2 * this.#keep) this.#last.splice(0, this.#keep)
  }

  /** Hash over every line so far. */
  hash(): string {
    return this.#hash.copy().digest("hex")
  }

  tail(): readonly string[] {
    return this.#last.slice(-this.#keep)
  }
}
