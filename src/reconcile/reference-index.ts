// Who takes values from whom, as the last passes found it, in both directions. Whoever is referred
// to wakes those who refer to it when the value changed, and goes only after them. It holds hashes
// of values, never the values: one may come from a Secret.

import { hashJson } from "../base/hash.ts"
import type { Json } from "../base/json.ts"

export interface KnownReference {
  /** Text form of the key of the object that is referred to. */
  readonly target: string
  readonly field: string
  /** Of the value that the last pass was given; "" when there was none. */
  readonly hash: string
}

export const valueHash = (value: Json | undefined): string =>
  value === undefined ? "" : hashJson(value)

export class ReferenceIndex<T extends KnownReference = KnownReference> {
  readonly #byKey = new Map<string, readonly T[]>()
  readonly #dependents = new Map<string, Set<string>>()

  /** Replaces what was known of this object. */
  note(key: string, references: readonly T[]): void {
    if (references.length === 0 && !this.#byKey.has(key)) return
    this.forget(key)
    if (references.length === 0) return
    this.#byKey.set(key, references)
    for (const { target } of references) {
      const known = this.#dependents.get(target) ?? new Set()
      this.#dependents.set(target, known.add(key))
    }
  }

  forget(key: string): void {
    for (const { target } of this.#byKey.get(key) ?? []) {
      const known = this.#dependents.get(target)
      known?.delete(key)
      if (known?.size === 0) this.#dependents.delete(target)
    }
    this.#byKey.delete(key)
  }

  of(key: string): readonly T[] {
    return this.#byKey.get(key) ?? []
  }

  /** Whether anybody refers to this object. */
  isTarget(key: string): boolean {
    return this.#dependents.has(key)
  }

  /** Who refers to this object. */
  dependents(target: string): readonly string[] {
    return [...(this.#dependents.get(target) ?? [])]
  }

  /** Whether one refers to the other, directly or through others. */
  reaches(from: string, to: string): boolean {
    const seen = new Set<string>()
    const open = [from]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const { target } of this.of(next)) {
        if (target === to) return true
        if (!seen.has(target)) open.push(target)
        seen.add(target)
      }
    }
    return false
  }
}
