// Who depends on whom: owner UID to the keys of its dependents. Holds only objects that name an
// owner, so that deleting one object never reads all others. It may be a moment behind or ahead;
// whoever uses it reads the objects themselves before acting.

import type { Clock } from "../base/clock.ts"
import type { Change, Entry, Revision, Store } from "../contract/store.ts"
import type { ApiObject, ObjectKey } from "../object/object.ts"
import { decodeObject } from "./codec.ts"
import { type Follower, followStore } from "./follow-store.ts"
import { parseStorageKey, registryPrefix } from "./storage-keys.ts"

interface Known {
  readonly owners: readonly string[]
  readonly revision: Revision
}

export class OwnerIndex {
  readonly #byOwner = new Map<string, Set<string>>()
  readonly #known = new Map<string, Known>()

  dependents(uid: string): ObjectKey[] {
    const keys = [...(this.#byOwner.get(uid) ?? [])].map(parseStorageKey)
    return keys.filter((key) => key !== undefined)
  }

  /** Undefined when the object is gone. An older revision than the known one changes nothing. */
  put(storageKey: string, object: ApiObject | undefined, revision: Revision): void {
    const known = this.#known.get(storageKey)
    if (known !== undefined && known.revision >= revision) return
    for (const owner of known?.owners ?? []) this.#forget(owner, storageKey)
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

const mark = Buffer.from('"ownerReferences"')

/** Parsing is left out for the many objects that name no owner. */
function readOwned(value: Uint8Array, revision: Revision): ApiObject | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return bytes.includes(mark) ? decodeObject(value, revision) : undefined
}

export function followOwners(store: Store, clock: Clock, index: OwnerIndex): Follower {
  let unseen = new Set<string>()
  const change = ({ key, value, modRevision }: Change) => {
    index.put(key, value === undefined ? undefined : readOwned(value, modRevision), modRevision)
  }
  return followStore({
    store,
    clock,
    prefix: registryPrefix,
    sink: {
      begin: () => {
        unseen = new Set(index.keys())
      },
      entries: (entries: readonly Entry[]) => {
        for (const { key, value, modRevision } of entries) {
          unseen.delete(key)
          index.put(key, readOwned(value, modRevision), modRevision)
        }
      },
      end: (revision) => {
        for (const key of unseen) index.put(key, undefined, revision)
      },
      changes: (_, changes) => changes.forEach(change),
    },
  })
}
