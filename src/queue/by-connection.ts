// One rate limiter, breaker or whatever per connection, made when it is first asked for.

export class ByConnection<T> {
  readonly #make: (connection: string) => T
  readonly #parts = new Map<string, T>()

  constructor(make: (connection: string) => T) {
    this.#make = make
  }

  get(connection: string): T {
    let part = this.#parts.get(connection)
    if (part === undefined) {
      part = this.#make(connection)
      this.#parts.set(connection, part)
    }
    return part
  }

  entries(): IterableIterator<[string, T]> {
    return this.#parts.entries()
  }

  /** For connections that no object names any more. */
  drop(connection: string): void {
    this.#parts.delete(connection)
  }
}
