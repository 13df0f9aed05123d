// Who depends on whom: owner UID to the keys of its dependents. Holds only objects that name an
// owner, so that deleting one object never reads all others. It may be a moment behind or ahead;
// whoever uses it reads the objects themselves before acting.

import type { Clock } from "../base/clock.ts"
import type { Revision, Store } from "../contract/store.ts"
import type { ApiObject, ObjectKey } from "../object/object.ts"
import { decodeObject } from "./codec.ts"
import { followIndex } from "./follow-index.ts"
import type { Follower } from "./follow-store.ts"
import { foregroundFinalizer } from "./propagation.ts"
import { parseStorageKey, registryPrefix } from "./storage-keys.ts"

interface Known {
  readonly owners: readonly string[]
  readonly revision: Revision
}

export class OwnerIndex {
  readonly #byOwner = new Map<string, Set<string>>()
  readonly #known = new Map<string, Known>()
  readonly #waiting = new Map<string, string>()
  #suspects: (keys: readonly string[]) => void = () => {}

  /** Told of objects whose owners should be looked at: new ones, and those of what ended. */
  onSuspects(listener: (keys: readonly string[]) => void): void {
    this.#suspects = listener
  }

  suspectDependents(uid: string): void {
    const keys = [...(this.#byOwner.get(uid) ?? [])]
    if (keys.length > 0) this.#suspects(keys)
  }

  dependents(uid: string): ObjectKey[] {
    const keys = [...(this.#byOwner.get(uid) ?? [])].map(parseStorageKey)
    return keys.filter((key) => key !== undefined)
  }

  /** UIDs of the owners that this object names. */
  ownersOf(storageKey: string): readonly string[] {
    return this.#known.get(storageKey)?.owners ?? []
  }

  /** Undefined when the object is gone. An older revision than the known one changes nothing. */
  put(storageKey: string, object: ApiObject | undefined, revision: Revision): void {
    const known = this.#known.get(storageKey)
    if (known !== undefined && known.revision >= revision) return
    for (const owner of known?.owners ?? []) this.#forget(owner, storageKey)
    this.#noteWaiting(storageKey, object)
    const owners = (object?.metadata.ownerReferences ?? []).map((reference) => reference.uid)
    if (owners.length === 0) {
      this.#known.delete(storageKey)
      return
    }
    this.#known.set(storageKey, { owners, revision })
    for (const owner of owners) {
      const keys = this.#byOwner.get(owner) ?? new Set()
      this.#byOwner.set(owner, keys.add(storageKey))
    }
    this.#suspects([storageKey])
  }

  /** Marked owners that wait for dependents: storage key and UID. */
  waiting(): [string, string][] {
    return [...this.#waiting]
  }

  #noteWaiting(storageKey: string, object: ApiObject | undefined): void {
    const { uid = "", deletionTimestamp, finalizers } = object?.metadata ?? {}
    const waits = deletionTimestamp !== undefined && finalizers?.includes(foregroundFinalizer)
    if (waits === true) this.#waiting.set(storageKey, uid)
    else this.#waiting.delete(storageKey)
  }

  keys(): string[] {
    return [...this.#known.keys()]
  }

  #forget(owner: string, storageKey: string): void {
    const keys = this.#byOwner.get(owner)
    keys?.delete(storageKey)
    if (keys?.size === 0) this.#byOwner.delete(owner)
  }
}

const marks = ['"ownerReferences"', `"${foregroundFinalizer}"`].map((text) => Buffer.from(text))

/** Parsing is left out for the many objects that name no owner and wait for nobody. */
function readOwned(value: Uint8Array, revision: Revision): ApiObject | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return marks.some((mark) => bytes.includes(mark)) ? decodeObject(value, revision) : undefined
}

export function followOwners(store: Store, clock: Clock, index: OwnerIndex): Follower {
  return followIndex({ store, clock, prefix: registryPrefix, index, read: readOwned })
}
