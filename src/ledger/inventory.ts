// The inventory: which targets we own, counted per loop and kind, and who claims which target. It
// mirrors the records in memory as small facts; the records themselves stay in the store.

import type { TargetRecord } from "../contract/record.ts"

interface Owned {
  readonly loop: string
  readonly kind: string
}

export interface Claim {
  readonly uid: string
  readonly object: string
}

export class Inventory {
  readonly #owned = new Map<string, Owned>()
  readonly #claims = new Map<string, Claim>()
  readonly #sizes = new Map<string, number>()
  /** A create was begun and its end is not known: what it made, if anything, is ours. */
  readonly #undecided = new Set<string>()

  /** Takes the place of what was known of this UID. */
  note(record: TargetRecord): void {
    this.forget(record.uid)
    this.#claims.set(record.target, { uid: record.uid, object: record.object })
    if (!record.owned) {
      if (record.pending?.verb === "create") this.#undecided.add(record.uid)
      return
    }
    this.#owned.set(record.uid, { loop: record.loop, kind: record.kind })
    this.#count(record.loop, record.kind, 1)
  }

  forget(uid: string, target?: string): void {
    this.#undecided.delete(uid)
    const owned = this.#owned.get(uid)
    if (owned !== undefined) {
      this.#owned.delete(uid)
      this.#count(owned.loop, owned.kind, -1)
    }
    if (target !== undefined && this.#claims.get(target)?.uid === uid) this.#claims.delete(target)
  }

  owns(uid: string): boolean {
    return this.#owned.has(uid)
  }

  /** Owned, or perhaps so: deleting it needs a permission either way. */
  mayOwn(uid: string): boolean {
    return this.#owned.has(uid) || this.#undecided.has(uid)
  }

  claimOf(target: string): Claim | undefined {
    return this.#claims.get(target)
  }

  /** How many targets the loop owns, of one kind or of all. */
  size(loop: string, kind = ""): number {
    return this.#sizes.get(`${loop}/${kind}`) ?? 0
  }

  #count(loop: string, kind: string, by: number): void {
    for (const key of [`${loop}/`, `${loop}/${kind}`]) {
      this.#sizes.set(key, (this.#sizes.get(key) ?? 0) + by)
    }
  }
}
