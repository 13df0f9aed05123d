// A small cache of parsed objects, bounded in count and in stored bytes; the least recently used go
// first. An object is only given back for the very revision that was asked for.

import type { Revision } from "../contract/store.ts"
import type { ApiObject } from "../object/object.ts"

interface Cached {
  readonly revision: Revision
  readonly object: ApiObject
  readonly bytes: number
}

export interface ObjectCacheLimits {
  readonly objects: number
  readonly bytes: number
}

export const objectCacheLimits: ObjectCacheLimits = { objects: 1024, bytes: 16 * 1024 * 1024 }

export class ObjectCache {
  readonly #limits: ObjectCacheLimits
  // A Map keeps insertion order, so that its first key is the least recently used one.
  readonly #cached = new Map<string, Cached>()
  #bytes = 0

  constructor(limits: ObjectCacheLimits = objectCacheLimits) {
    this.#limits = limits
  }

  get(key: string, revision: Revision): ApiObject | undefined {
    const cached = this.#cached.get(key)
    if (cached?.revision !== revision) return undefined
    this.#cached.delete(key)
    this.#cached.set(key, cached)
    return cached.object
  }

  put(key: string, revision: Revision, object: ApiObject, bytes: number): void {
    this.delete(key)
    this.#cached.set(key, { revision, object, bytes })
    this.#bytes += bytes
    const { objects: most, bytes: bytesMost } = this.#limits
    for (const oldest of this.#cached.keys()) {
      if (this.#cached.size <= most && this.#bytes <= bytesMost) break
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const cached = this.#cached.get(key)
    if (cached === undefined) return
    this.#bytes -= cached.bytes
    this.#cached.delete(key)
  }

  get size(): number {
    return this.#cached.size
  }
}
