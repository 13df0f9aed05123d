// Knows every object of one resource and says when one changed. It holds an index, not the objects:
// those are read from the store and parsed when asked for. When the past was compacted or it was
// too slow, it lists again and compares, so that no change and no delete is lost.

import { decodeObject } from "../api/codec.ts"
import { type Follower, followStore } from "../api/follow-store.ts"
import { parseStorageKey, resourcePrefix, storageKey } from "../api/storage-keys.ts"
import type { Clock } from "../base/clock.ts"
import type { Fault } from "../base/faults.ts"
import { hashJson } from "../base/hash.ts"
import { protects } from "../base/protections.ts"
import type { Change, Entry, Revision, Store } from "../contract/store.ts"
import type { Closeable } from "../contract/world.ts"
import { type ApiObject, keyText, parseKeyText } from "../object/object.ts"
import { ObjectCache, type ObjectCacheLimits } from "./object-cache.ts"
import { type IndexEntry, ObjectIndex } from "./object-index.ts"

export type InformerChange = "put" | "delete"
export type InformerListener = (key: string, kind: InformerChange) => void

export interface InformerOptions {
  readonly store: Store
  readonly clock: Clock
  readonly group: string
  readonly resource: string
  readonly cache?: ObjectCacheLimits
  readonly pageSize?: number
}

interface HashedSpec {
  readonly revision: Revision
  readonly hash: string
}

const hashesMax = 10_000

export class Informer {
  readonly group: string
  readonly resource: string
  readonly #store: Store
  readonly #index = new ObjectIndex((name) => this.#keyText(name))
  readonly #cache: ObjectCache
  readonly #hashes = new Map<string, HashedSpec>()
  readonly #listeners = new Set<InformerListener>()
  readonly #follower: Follower
  #unseen = new Set<string>()

  constructor(options: InformerOptions) {
    const { store, clock, group, resource } = options
    this.group = group
    this.resource = resource
    this.#store = store
    this.#cache = new ObjectCache(options.cache)
    this.#follower = followStore({
      store,
      clock,
      prefix: resourcePrefix(group, resource),
      ...(options.pageSize === undefined ? {} : { pageSize: options.pageSize }),
      sink: {
        begin: () => {
          this.#unseen = new Set(this.#index.names())
        },
        entries: (entries) => {
          for (const entry of entries) this.#seen(entry)
        },
        end: () => this.#endSnapshot(),
        changes: (_, changes) => {
          for (const change of changes) this.#change(change)
        },
      },
    })
  }

  /** Resolves when every object that existed at the start is known. */
  synced(): Promise<void> {
    return this.#follower.synced()
  }

  /** Read your own writes: resolves when everything up to this revision is known here. */
  waitFor(revision: Revision, signal?: AbortSignal): Promise<void> {
    return this.#follower.waitFor(revision, signal)
  }

  /** Everything up to here is known. */
  revision(): Revision {
    return this.#follower.revision()
  }

  /** Why it is not following right now, if it is not. */
  trouble(): Fault | undefined {
    return this.#follower.trouble()
  }

  get size(): number {
    return this.#index.size
  }

  /** How many belong to this loop. */
  count(loop: string): number {
    return this.#index.count(loop)
  }

  entry(key: string): IndexEntry | undefined {
    return this.#index.get(nameOf(key))
  }

  *keys(): Generator<string> {
    for (const [, entry] of this.#index.entries()) yield entry.key
  }

  *entries(): Generator<[string, IndexEntry]> {
    for (const [, entry] of this.#index.entries()) yield [entry.key, entry]
  }

  /** The newest stored object, at least as new as the index; undefined when there is none. */
  async get(key: string): Promise<ApiObject | undefined> {
    const name = nameOf(key)
    const known = this.#index.get(name)
    const cached = known === undefined ? undefined : this.#cache.get(name, known.revision)
    if (cached !== undefined) return cached
    const entry = await this.#store.get(storageKey(parseKeyText(key)))
    if (entry === undefined || "kind" in entry) return undefined
    const object = decodeObject(entry.value, entry.modRevision)
    this.#cache.put(name, entry.modRevision, object, entry.value.byteLength)
    return object
  }

  /** Hash of the spec as it is stored now; computed once per revision. */
  async specHash(key: string): Promise<string | undefined> {
    const name = nameOf(key)
    const known = this.#hashes.get(name)
    if (known !== undefined && known.revision === this.#index.get(name)?.revision) return known.hash
    const object = await this.get(key)
    if (object === undefined) return undefined
    const hash = hashJson(object.spec)
    if (this.#hashes.size >= hashesMax) this.#hashes.clear()
    this.#hashes.set(name, { revision: Number(object.metadata.resourceVersion), hash })
    return hash
  }

  /** Called after the index knows of the change. A listener must not throw. */
  onChange(listener: InformerListener): Closeable {
    this.#listeners.add(listener)
    return { close: () => void this.#listeners.delete(listener) }
  }

  close(): Promise<void> {
    return this.#follower.close()
  }

  #seen(entry: Entry): void {
    const name = storedName(entry.key)
    if (name === undefined) return
    this.#unseen.delete(name)
    if (this.#index.get(name)?.revision === entry.modRevision) return
    this.#put(name, entry.value, entry.modRevision)
  }

  #change(change: Change): void {
    const name = storedName(change.key)
    if (name === undefined) return
    if (change.kind === "delete") this.#delete(name)
    else if (change.value !== undefined) this.#put(name, change.value, change.modRevision)
  }

  #put(name: string, value: Uint8Array, revision: Revision): void {
    if (this.#index.put(name, revision, decodeObject(value, revision))) this.#tell(name, "put")
  }

  #delete(name: string): void {
    this.#cache.delete(name)
    this.#hashes.delete(name)
    if (this.#index.delete(name)) this.#tell(name, "delete")
  }

  #endSnapshot(): void {
    const gone = protects("relist-notices-deletes") ? this.#unseen : []
    for (const name of gone) this.#delete(name)
    this.#unseen = new Set()
  }

  #tell(name: string, kind: InformerChange): void {
    const key = this.#index.get(name)?.key ?? this.#keyText(name)
    for (const listener of this.#listeners) listener(key, kind)
  }

  #keyText(name: string): string {
    const slash = name.indexOf("/")
    const [namespace, rest] = [name.slice(0, slash), name.slice(slash + 1)]
    return keyText({ group: this.group, resource: this.resource, namespace, name: rest })
  }
}

/** `files.host.setpoint.dev/default/motd` to `default/motd`. */
const nameOf = (key: string): string => key.slice(key.indexOf("/") + 1)

function storedName(key: string): string | undefined {
  const parsed = parseStorageKey(key)
  return parsed === undefined ? undefined : `${parsed.namespace}/${parsed.name}`
}
