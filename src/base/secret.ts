// A value that must not be printed. Only the provider boundary calls `reveal`.

import { inspect } from "node:util"

export class Secret<T> {
  readonly #value: T
  constructor(value: T) {
    this.#value = value
  }
  reveal(): T {
    return this.#value
  }
  toString(): string {
    return "***"
  }
  toJSON(): string {
    return "***"
  }
  [inspect.custom](): string {
    return "***"
  }
}
