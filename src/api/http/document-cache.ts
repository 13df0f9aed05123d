// Documents that are functions of what the registry serves, kept until it serves something else.

import type { ResourceRegistry } from "../resource-registry.ts"

export class DocumentCache<Value> {
  readonly #registry: Pick<ResourceRegistry, "version">
  readonly #values = new Map<string, Value>()
  #version = -1

  constructor(registry: Pick<ResourceRegistry, "version">) {
    this.#registry = registry
  }

  /** Keys must be few: those of what is served, never what a client made up. */
  get(key: string, make: () => Value): Value {
    if (this.#version !== this.#registry.version) {
      this.#values.clear()
      this.#version = this.#registry.version
    }
    const known = this.#values.get(key)
    if (known !== undefined) return known
    const made = make()
    this.#values.set(key, made)
    return made
  }
}
