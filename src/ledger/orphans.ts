// Orphans: targets that we made or adopted and no longer keep, since they were released, their
// object vanished, or nobody could say whether their create happened. Nothing created is ever
// forgotten: an entry goes only when the target is kept again, or when a person forgets it.

import { sha256 } from "../base/hash.ts"
import type { TargetRecord } from "../contract/record.ts"
import type { Store, Write } from "../contract/store.ts"
import { decodeDocument, ledgerKeys, putDocument } from "./keys.ts"
import { scanPrefix } from "./scan.ts"

export type OrphanCause =
  /** Let go on purpose: by a person, or with its loop. */
  | "Released"
  /** Its object is gone from the store while we owned the target. */
  | "ObjectGone"
  /** A create without an answer; whether there is anything can't be known. */
  | "CreateUncertain"

export interface Orphan {
  readonly format: 1
  readonly uid: string
  readonly object: string
  readonly loop: string
  readonly kind: string
  readonly target: string
  readonly externalId?: string
  readonly cause: OrphanCause
  /** RFC 3339. */
  readonly at: string
  readonly by: string
  readonly why: string
}

export interface Parting {
  readonly cause: OrphanCause
  readonly at: string
  readonly by: string
  readonly why: string
}

/** One object may have left several targets behind. */
const idOf = ({ uid, target }: Pick<Orphan, "uid" | "target">): string =>
  `${uid}/${sha256(target).slice(0, 16)}`

export class Orphans {
  readonly #byId = new Map<string, Orphan>()
  readonly #byTarget = new Map<string, Set<string>>()

  async open(store: Store): Promise<void> {
    for await (const entry of scanPrefix(store, ledgerKeys.orphans)) {
      this.#keep(decodeDocument<Orphan>(entry.value))
    }
  }

  /** In the order of their ids; of one loop, or all. */
  all(loop?: string): Orphan[] {
    const all = [...this.#byId.entries()].sort(([left], [right]) => (left < right ? -1 : 1))
    const orphans = all.map(([, orphan]) => orphan)
    return loop === undefined ? orphans : orphans.filter((one) => one.loop === loop)
  }

  count(loop: string): number {
    let count = 0
    for (const one of this.#byId.values()) if (one.loop === loop) count++
    return count
  }

  ofTarget(target: string): Orphan[] {
    const ids = this.#byTarget.get(target) ?? []
    return [...ids].flatMap((id) => this.#byId.get(id) ?? [])
  }

  /** The write that keeps the memory of what this record stands for. */
  add(record: TargetRecord, parting: Parting): Write {
    const { uid, object, loop, kind, target, externalId } = record
    const known = externalId === undefined ? {} : { externalId }
    const orphan = { format: 1, uid, object, loop, kind, target, ...known, ...parting } as const
    this.#keep(orphan)
    return putDocument(ledgerKeys.orphan(idOf(orphan)), orphan)
  }

  /** Kept again, or forgotten by a person. */
  drop(target: string): Write[] {
    const ids = [...(this.#byTarget.get(target) ?? [])]
    this.#byTarget.delete(target)
    return ids.map((id): Write => {
      this.#byId.delete(id)
      return { kind: "delete", key: ledgerKeys.orphan(id) }
    })
  }

  #keep(orphan: Orphan): void {
    const id = idOf(orphan)
    this.#byId.set(id, orphan)
    const ids = this.#byTarget.get(orphan.target) ?? new Set()
    this.#byTarget.set(orphan.target, ids.add(id))
  }
}
