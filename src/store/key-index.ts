// The MVCC index: every stored row by key and place, in sorted chunks. It answers which row holds
// a key at a revision and which rows a range sees, and holds no values.

import type { Place, RowHeader } from "./engine.ts"
import type { IndexBuilder } from "./index-builder.ts"
import { chunkCapacity, IndexChunk } from "./index-chunk.ts"

/** What the index knows of one row. */
export interface IndexEntry {
  readonly place: Place
  readonly createRevision: number
  /** 0 when the row is a delete. */
  readonly version: number
}

export interface Superseded {
  readonly found: readonly { readonly key: string; readonly place: Place }[]
  /** The last key looked at; undefined when there are no more. */
  readonly next: string | undefined
}

export class KeyIndex {
  #chunks: IndexChunk[] = [new IndexChunk()]
  /** The first key of each chunk; the first chunk takes everything below. */
  #firsts: string[] = [""]
  #size = 0

  /** Rows, old ones and deletes too. */
  get size(): number {
    return this.#size
  }

  /** Takes over everything that was collected; only for an index that is still empty. */
  fill(builder: IndexBuilder): void {
    this.#chunks = builder.build()
    this.#firsts = this.#chunks.map((chunk, at) => (at === 0 ? "" : chunk.keyAt(0)))
    this.#size = builder.count
  }

  insert(row: Pick<RowHeader, "key" | "place" | "createRevision" | "version">): void {
    let at = this.#locate(row.key, row.place)
    let chunk = this.#chunk(at)
    let index = chunk.upperBound(row.key, row.place)
    if (chunk.count === chunkCapacity) {
      // Rows that come in order fill each chunk; others leave room on both sides.
      const appends = index === chunk.count && at === this.#chunks.length - 1
      const right = appends ? new IndexChunk() : chunk.splitAt(chunkCapacity / 2)
      this.#chunks.splice(at + 1, 0, right)
      this.#firsts.splice(at + 1, 0, appends ? row.key : right.keyAt(0))
      if (index >= chunk.count) {
        index -= chunk.count
        at++
        chunk = right
      }
    }
    chunk.insert(index, row.key, row.place, row.createRevision, row.version)
    if (index === 0 && at > 0) this.#firsts[at] = row.key
    this.#size++
  }

  /** The newest row of the key at or before the place. */
  find(key: string, upTo: Place = Number.POSITIVE_INFINITY): IndexEntry | undefined {
    const chunk = this.#chunk(this.#locate(key, upTo))
    const index = chunk.upperBound(key, upTo) - 1
    if (index < 0 || chunk.compareKey(index, key) !== 0) return undefined
    const createRevision = chunk.creates[index] ?? 0
    return { place: chunk.places[index] ?? 0, createRevision, version: chunk.versions[index] ?? 0 }
  }

  remove(key: string, place: Place): boolean {
    const at = this.#locate(key, place)
    const chunk = this.#chunk(at)
    const index = chunk.upperBound(key, place) - 1
    if (index < 0 || chunk.places[index] !== place || chunk.compareKey(index, key) !== 0)
      return false
    chunk.remove(index)
    this.#size--
    this.#tidy(at, index)
    return true
  }

  /**
   * Rows that no read at or after the place can see: replaced ones, and deletes. Looks at whole
   * keys after the given one and stops when it has seen or found enough.
   */
  superseded(after: string, asOf: Place, maxSeen: number, maxFound: number): Superseded {
    const found: { key: string; place: Place }[] = []
    let at = this.#locate(after, Number.POSITIVE_INFINITY)
    let index = this.#chunk(at).upperBound(after, Number.POSITIVE_INFINITY)
    let seen = 0
    let key: string | undefined
    /** The newest row of the key that a read at `asOf` may see. */
    let base: { place: Place; version: number } | undefined
    const endKey = () => {
      if (key !== undefined && base?.version === 0) found.push({ key, place: base.place })
      base = undefined
    }
    for (; at < this.#chunks.length; at++, index = 0) {
      const chunk = this.#chunk(at)
      for (; index < chunk.count; index++) {
        const goesOn = index > 0 && key !== undefined && chunk.sameKey(index, index - 1)
        if (!goesOn && (key === undefined || chunk.compareKey(index, key) !== 0)) {
          endKey()
          if (key !== undefined && (seen >= maxSeen || found.length >= maxFound))
            return { found, next: key }
          key = chunk.keyAt(index)
        }
        seen++
        const place = chunk.places[index] ?? 0
        if (place > asOf) continue
        if (base !== undefined && key !== undefined) found.push({ key, place: base.place })
        base = { place, version: chunk.versions[index] ?? 0 }
      }
    }
    endKey()
    return { found, next: undefined }
  }

  /** The rows that a range sees as of a place, in key order. */
  range(prefix: string, after: string | undefined, asOf: Place, limit: number): Place[] {
    const found: Place[] = []
    const from = after !== undefined && after >= prefix ? after : prefix
    const fromPlace = from === after ? Number.POSITIVE_INFINITY : -1
    let at = this.#locate(from, fromPlace)
    let index = this.#chunk(at).upperBound(from, fromPlace)
    let held: Place | undefined
    let heldKey: string | undefined
    for (; at < this.#chunks.length; at++, index = 0) {
      const chunk = this.#chunk(at)
      for (; index < chunk.count; index++) {
        if (index === 0) {
          // The key may go on from the chunk before.
          if (heldKey !== undefined && chunk.compareKey(0, heldKey) !== 0) {
            if (held !== undefined) found.push(held)
            held = undefined
          }
        } else if (held !== undefined && !chunk.sameKey(index, index - 1)) {
          found.push(held)
          held = undefined
        }
        if (found.length >= limit || !chunk.startsWith(index, prefix)) {
          if (held !== undefined && found.length < limit) found.push(held)
          return found
        }
        const place = chunk.places[index] ?? 0
        if (place <= asOf) held = chunk.versions[index] === 0 ? undefined : place
      }
      heldKey = chunk.count > 0 ? chunk.keyAt(chunk.count - 1) : heldKey
    }
    if (held !== undefined && found.length < limit) found.push(held)
    return found
  }

  #chunk(at: number): IndexChunk {
    return this.#chunks[at] as IndexChunk
  }

  /** The last chunk that begins at or before (key, place). */
  #locate(key: string, place: Place): number {
    let low = 1
    let high = this.#chunks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const first = this.#firsts[middle] as string
      const begins = first < key || (first === key && (this.#chunk(middle).places[0] ?? 0) <= place)
      if (begins) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  /** After a removal: no empty chunks, no two neighbours that fit into half a chunk. */
  #tidy(at: number, removedIndex: number): void {
    const chunk = this.#chunk(at)
    if (chunk.count === 0 && this.#chunks.length > 1) {
      this.#chunks.splice(at, 1)
      this.#firsts.splice(at, 1)
      this.#firsts[0] = ""
      return
    }
    if (removedIndex === 0 && at > 0 && chunk.count > 0) this.#firsts[at] = chunk.keyAt(0)
    const next = this.#chunks[at + 1]
    if (next !== undefined && chunk.count + next.count <= chunkCapacity / 2) {
      chunk.absorb(next)
      this.#chunks.splice(at + 1, 1)
      this.#firsts.splice(at + 1, 1)
    }
  }
}
