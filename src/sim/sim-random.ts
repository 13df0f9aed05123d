// Randomness from a seed (sfc32): the same seed gives the same numbers on every machine. Never for
// secrets.

import type { Random } from "../base/random.ts"

export class SimRandom implements Random {
  readonly seed: number
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number) {
    this.seed = seed
    this.#a = seed | 0
    this.#b = Math.floor(seed / 2 ** 32) | 0
    this.#c = 0x9e3779b9 | 0
    for (let round = 0; round < 12; round++) this.#word()
  }

  next(): number {
    return this.#word() / 2 ** 32
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#word() & 0xff)
  }

  /** Uniform in [0, bound), whole. */
  below(bound: number): number {
    return Math.floor(this.next() * bound)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** One of them; undefined only when there is none. */
  pick<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)]
  }

  /** A generator of its own, so that one part's draws do not shift another's. */
  fork(): SimRandom {
    return new SimRandom(this.#word() * 2 ** 20 + (this.#word() & 0xfffff))
  }

  #word(): number {
    const mixed = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + mixed) | 0
    return mixed >>> 0
  }
}
