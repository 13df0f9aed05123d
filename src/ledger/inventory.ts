// The inventory: which targets we own, counted per loop and kind, and who claims which target. It
// mirrors the records in memory as small facts; the records themselves stay in the store.

import { protects } from "../base/protections.ts"
import type { TargetRecord } from "../contract/record.ts"

interface Owned {
  readonly loop: string
  readonly kind: string
  readonly protected: boolean
}

export interface Claim {
  readonly uid: string
  readonly object: string
}

const ownedOf = ({ loop, kind, protected: guarded = false }: TargetRecord): Owned => ({
  ...{ loop, kind, protected: guarded },
})

export class Inventory {
  readonly #owned = new Map<string, Owned>()
  readonly #claims = new Map<string, Claim>()
  /** Claims that the store holds as they are; a claim that changes is another one. */
  readonly #storedClaims = new WeakSet<Claim>()
  readonly #sizes = new Map<string, number>()
  /** A create was begun and its end is not known: what it made, if anything, is ours. */
  readonly #undecided = new Map<string, string>()
  /** UIDs whose target is or may be ours, by the object's key. */
  readonly #byObject = new Map<string, readonly string[]>()
  readonly #objects = new Map<string, string>()

  /** Takes the place of what was known of this UID. */
  note(record: TargetRecord): void {
    if (this.#knows(record)) return
    this.forget(record.uid)
    if (this.#claimBy(record) === undefined) {
      this.#claims.set(record.target, { uid: record.uid, object: record.object })
    }
    if (record.owned || record.pending?.verb === "create") this.#link(record.uid, record.object)
    if (!record.owned) {
      if (record.pending?.verb !== "create") return
      this.#undecided.set(record.uid, record.loop)
      return
    }
    this.#owned.set(record.uid, ownedOf(record))
    this.#count(record.loop, record.kind, 1)
  }

  forget(uid: string, target?: string): void {
    this.#undecided.delete(uid)
    this.#unlink(uid)
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

  /** Its record says that it was protected, and nobody approved the end of that. */
  isProtected(uid: string): boolean {
    return this.#owned.get(uid)?.protected ?? false
  }

  /** UIDs of this object, now or before, that own a target or may own one. */
  uidsOf(object: string): readonly string[] {
    return this.#byObject.get(object) ?? []
  }

  /** Every object whose target is or may be ours. */
  objects(): string[] {
    return [...this.#byObject.keys()]
  }

  /** UIDs whose create got no answer; of one loop, or all. */
  undecided(loop?: string): string[] {
    const all = [...this.#undecided]
    return all.flatMap(([uid, of]) => (loop === undefined || of === loop ? [uid] : []))
  }

  claimOf(target: string): Claim | undefined {
    return protects("one-owner-per-target") ? this.#claims.get(target) : undefined
  }

  /** The claim of this record is durable. */
  noteStored(record: TargetRecord): void {
    const claim = this.#claimBy(record)
    if (claim !== undefined) this.#storedClaims.add(claim)
  }

  isClaimStored(record: TargetRecord): boolean {
    const claim = this.#claimBy(record)
    return claim !== undefined && this.#storedClaims.has(claim)
  }

  /** How many targets the loop owns, of one kind or of all. */
  size(loop: string, kind = ""): number {
    return this.#sizes.get(`${loop}/${kind}`) ?? 0
  }

  /** Most acts change nothing that is kept here. */
  #knows(record: TargetRecord): boolean {
    const { uid, loop, kind, protected: guarded = false } = record
    const owned = this.#owned.get(uid)
    if (!record.owned || owned === undefined || this.#objects.get(uid) !== record.object)
      return false
    const same = owned.loop === loop && owned.kind === kind && owned.protected === guarded
    return same && this.#claimBy(record) !== undefined
  }

  #claimBy({ uid, object, target }: TargetRecord): Claim | undefined {
    const claim = this.#claims.get(target)
    return claim?.uid === uid && claim.object === object ? claim : undefined
  }

  #link(uid: string, object: string): void {
    this.#objects.set(uid, object)
    this.#byObject.set(object, [...(this.#byObject.get(object) ?? []), uid])
  }

  #unlink(uid: string): void {
    const object = this.#objects.get(uid)
    if (object === undefined) return
    this.#objects.delete(uid)
    const left = (this.#byObject.get(object) ?? []).filter((one) => one !== uid)
    if (left.length === 0) this.#byObject.delete(object)
    else this.#byObject.set(object, left)
  }

  #count(loop: string, kind: string, by: number): void {
    for (const key of [`${loop}/`, `${loop}/${kind}`]) {
      this.#sizes.set(key, (this.#sizes.get(key) ?? 0) + by)
    }
  }
}
