// Which objects changed lately, in the order in which that became known: whoever lists objects once
// can ask for no more than what came since. It remembers keys, never objects, and only so many: who
// comes too late has to list again.

const kept = 50_000

export interface ChangedKeys {
  readonly keys: readonly string[]
  /** Everything up to here was told. */
  readonly upTo: number
  readonly more: boolean
}

export class ObjectBoard {
  /** Each change has a number; that of the first one here is `#first`. */
  #keys: string[] = []
  #first = 1

  note(key: string): void {
    this.#keys.push(key)
    if (this.#keys.length < 2 * kept) return
    this.#first += this.#keys.length - kept
    this.#keys = this.#keys.slice(-kept)
  }

  /** The number of the last change; 0 when there was none. */
  get last(): number {
    return this.#first + this.#keys.length - 1
  }

  /** Each key once, at most `limit`; undefined when that is not remembered any more. */
  since(number: number, limit: number): ChangedKeys | undefined {
    if (number + 1 < this.#first || number > this.last) return undefined
    const found = new Set<string>()
    let upTo = number
    for (let index = number + 1 - this.#first; index < this.#keys.length; index++) {
      const key = this.#keys[index] ?? ""
      if (found.size >= limit && !found.has(key)) break
      found.add(key)
      upTo = this.#first + index
    }
    return { keys: [...found], upTo, more: upTo < this.last }
  }
}
