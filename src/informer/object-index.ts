// What is known of every object of one resource without holding the object: revision, generation,
// UID, loop, and whether it is marked. Keys are `namespace/name`; loop names are shared strings, so
// that 100,000 objects cost tens of megabytes.

import type { Revision } from "../contract/store.ts"
import { type ApiObject, loopLabel } from "../object/object.ts"
import { declaresProtection } from "../object/protection.ts"

export interface IndexEntry {
  /** Text form of the key: one string, shared by all who hold it. */
  readonly key: string
  readonly revision: Revision
  readonly generation: number
  readonly uid: string
  /** A deletionTimestamp is set. */
  readonly marked: boolean
  /** Declared as protected; the annotation changes without a new generation. */
  readonly guarded: boolean
  /** NAMESPACE.NAME; "" when the object belongs to no loop. */
  readonly loop: string
}

export class ObjectIndex {
  readonly #entries = new Map<string, IndexEntry>()
  readonly #loops = new Map<string, string>()
  readonly #keyOf: (name: string) => string

  /** `keyOf` makes the text form of a key from its `namespace/name`. */
  constructor(keyOf: (name: string) => string) {
    this.#keyOf = keyOf
  }

  get(name: string): IndexEntry | undefined {
    return this.#entries.get(name)
  }

  names(): IterableIterator<string> {
    return this.#entries.keys()
  }

  entries(): IterableIterator<[string, IndexEntry]> {
    return this.#entries.entries()
  }

  get size(): number {
    return this.#entries.size
  }

  /** False when this revision, or a newer one, is known. */
  put(name: string, revision: Revision, object: ApiObject): boolean {
    const known = this.#entries.get(name)
    if (known !== undefined && known.revision >= revision) return false
    const { uid = "", generation = 0, labels, deletionTimestamp } = object.metadata
    this.#entries.set(name, {
      key: known?.key ?? this.#keyOf(name),
      revision,
      generation,
      uid,
      marked: deletionTimestamp !== undefined,
      guarded: declaresProtection(object),
      loop: this.#intern(labels?.[loopLabel] ?? ""),
    })
    return true
  }

  /** False when it was not known. */
  delete(name: string): boolean {
    return this.#entries.delete(name)
  }

  #intern(loop: string): string {
    const known = this.#loops.get(loop)
    if (known !== undefined) return known
    this.#loops.set(loop, loop)
    return loop
  }
}
