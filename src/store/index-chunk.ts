// One leaf of the key index: up to 512 entries ordered by key and place, in typed arrays with the
// key bytes in one slab, so that a million keys cost the garbage collector nothing. Keys are ASCII
// (checked by the commit), and entries of one key in a chunk share their bytes.

import type { Place } from "./engine.ts"

export const chunkCapacity = 512
const arraysBytes = chunkCapacity * (8 + 8 + 4 + 4 + 2)
const firstSlabBytes = 4096

export class IndexChunk {
  count = 0
  readonly places: Float64Array
  readonly creates: Float64Array
  readonly versions: Uint32Array
  readonly #starts: Uint32Array
  readonly #lengths: Uint16Array
  #slab: Buffer
  #used = 0

  constructor(slabBytes = firstSlabBytes) {
    const buffer = new ArrayBuffer(arraysBytes)
    let offset = 0
    const next = (width: number) => {
      const at = offset
      offset += width * chunkCapacity
      return at
    }
    this.places = new Float64Array(buffer, next(8), chunkCapacity)
    this.creates = new Float64Array(buffer, next(8), chunkCapacity)
    this.versions = new Uint32Array(buffer, next(4), chunkCapacity)
    this.#starts = new Uint32Array(buffer, next(4), chunkCapacity)
    this.#lengths = new Uint16Array(buffer, next(2), chunkCapacity)
    this.#slab = Buffer.allocUnsafeSlow(slabBytes)
  }

  keyAt(index: number): string {
    const start = this.#starts[index] ?? 0
    return this.#slab.toString("latin1", start, start + (this.#lengths[index] ?? 0))
  }

  /** Whether two entries of this chunk have one key; they do when they share its bytes. */
  sameKey(left: number, right: number): boolean {
    return this.#starts[left] === this.#starts[right]
  }

  startsWith(index: number, prefix: string): boolean {
    if ((this.#lengths[index] ?? 0) < prefix.length) return false
    const start = this.#starts[index] ?? 0
    for (let at = 0; at < prefix.length; at++) {
      if (this.#slab[start + at] !== prefix.charCodeAt(at)) return false
    }
    return true
  }

  /** Below 0 when the entry's key comes before this one, 0 when equal. */
  compareKey(index: number, key: string): number {
    return this.#compareFrom(index, key, this.#shared(index, key, 0))
  }

  /** How many entries are at or before (key, place). */
  upperBound(key: string, place: Place): number {
    let low = 0
    let high = this.count
    // Everything between two entries begins with what both of them share with the key.
    let lowShared = 0
    let highShared = 0
    while (low < high) {
      const middle = (low + high) >>> 1
      const shared = this.#shared(middle, key, Math.min(lowShared, highShared))
      const order = this.#compareFrom(middle, key, shared) || (this.places[middle] ?? 0) - place
      if (order <= 0) {
        low = middle + 1
        lowShared = shared
      } else {
        high = middle
        highShared = shared
      }
    }
    return low
  }

  /** How many signs the entry's key and this one begin with alike; `from` are known to be. */
  #shared(index: number, key: string, from: number): number {
    const start = this.#starts[index] ?? 0
    const most = Math.min(this.#lengths[index] ?? 0, key.length)
    let at = from
    while (at < most && this.#slab[start + at] === key.charCodeAt(at)) at++
    return at
  }

  #compareFrom(index: number, key: string, shared: number): number {
    const length = this.#lengths[index] ?? 0
    if (shared === length || shared === key.length) return length - key.length
    return (this.#slab[(this.#starts[index] ?? 0) + shared] ?? 0) - key.charCodeAt(shared)
  }

  /** There must be room; `at` must be the upper bound of (key, place). */
  insert(at: number, key: string, place: Place, createRevision: number, version: number): void {
    const twin = this.#twin(at, key)
    const start = twin < 0 ? this.#keep(key) : (this.#starts[twin] ?? 0)
    this.#move(at, at + 1)
    this.places[at] = place
    this.creates[at] = createRevision
    this.versions[at] = version
    this.#starts[at] = start
    this.#lengths[at] = key.length
    this.count++
  }

  /** At the end, with key bytes for which the slab has room. */
  append(key: Uint8Array, place: Place, createRevision: number, version: number): void {
    const at = this.count++
    const before = this.#starts[at - 1] ?? 0
    const beforeLength = this.#lengths[at - 1] ?? 0
    const same = at > 0 && this.#slab.subarray(before, before + beforeLength).equals(key)
    if (!same) this.#slab.set(key, this.#used)
    this.places[at] = place
    this.creates[at] = createRevision
    this.versions[at] = version
    this.#starts[at] = same ? before : this.#used
    this.#lengths[at] = key.length
    if (!same) this.#used += key.length
  }

  remove(at: number): void {
    this.#move(at + 1, at)
    this.count--
  }

  /** Moves the entries from `at` on into a new chunk and repacks both slabs. */
  splitAt(at: number): IndexChunk {
    const right = new IndexChunk(0)
    right.#copyFrom(this, at, this.count)
    this.count = at
    this.#repack(0)
    return right
  }

  /** Takes over the entries of the chunk after this one. */
  absorb(next: IndexChunk): void {
    for (let index = 0; index < next.count; index++) {
      const key = next.keyAt(index)
      const create = next.creates[index] ?? 0
      this.insert(this.count, key, next.places[index] ?? 0, create, next.versions[index] ?? 0)
    }
  }

  #copyFrom(other: IndexChunk, from: number, to: number): void {
    this.places.set(other.places.subarray(from, to))
    this.creates.set(other.creates.subarray(from, to))
    this.versions.set(other.versions.subarray(from, to))
    this.#starts.set(other.#starts.subarray(from, to))
    this.#lengths.set(other.#lengths.subarray(from, to))
    this.#slab = other.#slab
    this.count = to - from
    this.#repack(0)
  }

  #twin(at: number, key: string): number {
    if (at > 0 && this.compareKey(at - 1, key) === 0) return at - 1
    if (at < this.count && this.compareKey(at, key) === 0) return at
    return -1
  }

  #keep(key: string): number {
    if (this.#used + key.length > this.#slab.length) this.#repack(key.length)
    const start = this.#used
    this.#slab.write(key, start, key.length, "latin1")
    this.#used += key.length
    return start
  }

  #move(from: number, to: number): void {
    if (from === this.count) return
    this.places.copyWithin(to, from, this.count)
    this.creates.copyWithin(to, from, this.count)
    this.versions.copyWithin(to, from, this.count)
    this.#starts.copyWithin(to, from, this.count)
    this.#lengths.copyWithin(to, from, this.count)
  }

  /** A new slab with only the bytes in use, and a quarter more than needed. */
  #repack(extra: number): void {
    let live = extra
    for (let index = 0; index < this.count; index++) {
      if (index === 0 || !this.sameKey(index, index - 1)) live += this.#lengths[index] ?? 0
    }
    const slab = Buffer.allocUnsafeSlow(Math.ceil(live * 1.25) + 64)
    let used = 0
    let before = -1
    for (let index = 0; index < this.count; index++) {
      const start = this.#starts[index] ?? 0
      const length = this.#lengths[index] ?? 0
      if (start !== before) {
        this.#slab.copy(slab, used, start, start + length)
        used += length
        before = start
      }
      this.#starts[index] = used - length
    }
    this.#slab = slab
    this.#used = used
  }
}
