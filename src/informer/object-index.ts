// What is known of every object of one resource without holding the object: revision, generation,
// UID, loop, owner, how it stands and whether it is marked. Keys are `namespace/name`; what many
// have in common are shared strings, so that 100,000 objects cost tens of megabytes.

import type { Revision } from "../contract/store.ts"
import { type ApiObject, controllerOf, loopLabel } from "../object/object.ts"
import { declaresProtection } from "../object/protection.ts"
import { type Standing, standingOf } from "../object/standing.ts"
import { waveOf } from "../object/wave.ts"

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
  /** In which wave of its loop it is; 0 without one. */
  readonly wave: number
  /** NAMESPACE.NAME; "" when the object belongs to no loop. */
  readonly loop: string
  /** UID of the owner that keeps it, else of the first it names; "" without one. */
  readonly owner: string
  /** What its conditions say in a word. */
  readonly standing: Standing
  /** Grows from one object to the next that came to be known; stays as long as it is known. */
  readonly order: number
}

const sharedMax = 10_000

export class ObjectIndex {
  readonly #entries = new Map<string, IndexEntry>()
  readonly #shared = new Map<string, string>()
  /** Objects by loop: asked for often, and never by walking over all of them. */
  readonly #counts = new Map<string, number>()
  readonly #keyOf: (name: string) => string
  #order = 0

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

  /** How many belong to this loop. */
  count(loop: string): number {
    return this.#counts.get(loop) ?? 0
  }

  /** False when this revision, or a newer one, is known. */
  put(name: string, revision: Revision, object: ApiObject): boolean {
    const known = this.#entries.get(name)
    if (known !== undefined && known.revision >= revision) return false
    const { uid = "", generation = 0, labels, deletionTimestamp } = object.metadata
    const owner = controllerOf(object) ?? object.metadata.ownerReferences?.[0]
    const standing = standingOf(object)
    const loop = this.#intern(labels?.[loopLabel] ?? "")
    if (known?.loop !== loop) this.#moved(known?.loop, loop)
    this.#entries.set(name, {
      key: known?.key ?? this.#keyOf(name),
      revision,
      generation,
      uid,
      marked: deletionTimestamp !== undefined,
      guarded: declaresProtection(object),
      wave: waveOf(object),
      loop,
      owner: this.#intern(owner?.uid ?? ""),
      standing: { ...standing, reason: this.#intern(standing.reason) },
      order: known?.order ?? ++this.#order,
    })
    return true
  }

  /** False when it was not known. */
  delete(name: string): boolean {
    const known = this.#entries.get(name)
    if (known !== undefined) this.#moved(known.loop, undefined)
    return this.#entries.delete(name)
  }

  #moved(from: string | undefined, to: string | undefined): void {
    if (to !== undefined) this.#counts.set(to, this.count(to) + 1)
    if (from === undefined) return
    const left = this.count(from) - 1
    if (left > 0) this.#counts.set(from, left)
    else this.#counts.delete(from)
  }

  /** Few loops, owners and reasons are named by many objects. */
  #intern(text: string): string {
    const known = this.#shared.get(text)
    if (known !== undefined) return known
    if (this.#shared.size >= sharedMax) this.#shared.clear()
    this.#shared.set(text, text)
    return text
  }
}
