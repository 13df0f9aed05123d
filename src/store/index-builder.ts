// Builds the key index at open. Rows come in the order of places, keys in any order: inserting a
// million of them one by one is slow, so they are collected flat, sorted once by their bytes
// (three-way radix quicksort: shared prefixes are looked at once) and cut into chunks.

import type { RowHeader } from "./engine.ts"
import { chunkCapacity, IndexChunk } from "./index-chunk.ts"

/** Leaves room for the first inserts before a chunk has to be split. */
const chunkFill = Math.floor(chunkCapacity * 0.9)
const insertionLimit = 12

export class IndexBuilder {
  #slab = Buffer.allocUnsafeSlow(256 * 1024)
  #used = 0
  #count = 0
  #starts = new Uint32Array(4096)
  #lengths = new Uint16Array(4096)
  #versions = new Uint32Array(4096)
  #places = new Float64Array(4096)
  #creates = new Float64Array(4096)

  /** Rows must come in the order of their places. */
  add(row: RowHeader): void {
    if (this.#count === this.#starts.length) this.#growArrays()
    if (this.#used + row.key.length > this.#slab.length) this.#growSlab(row.key.length)
    const at = this.#count++
    this.#starts[at] = this.#used
    this.#lengths[at] = row.key.length
    this.#versions[at] = row.version
    this.#places[at] = row.place
    this.#creates[at] = row.createRevision
    this.#used += this.#slab.write(row.key, this.#used, "latin1")
  }

  get count(): number {
    return this.#count
  }

  /** In order of key and place; never empty. */
  build(): IndexChunk[] {
    const order = new Uint32Array(this.#count)
    for (let at = 0; at < order.length; at++) order[at] = at
    this.#sort(order, 0, order.length, 0)
    const chunks: IndexChunk[] = []
    for (let from = 0; from < order.length; from += chunkFill)
      chunks.push(this.#chunk(order.subarray(from, from + chunkFill)))
    return chunks.length === 0 ? [new IndexChunk()] : chunks
  }

  #chunk(order: Uint32Array): IndexChunk {
    let bytes = 0
    for (const row of order) bytes += this.#lengths[row] ?? 0
    const chunk = new IndexChunk(bytes)
    for (const row of order) {
      const start = this.#starts[row] ?? 0
      const key = this.#slab.subarray(start, start + (this.#lengths[row] ?? 0))
      const create = this.#creates[row] ?? 0
      chunk.append(key, this.#places[row] ?? 0, create, this.#versions[row] ?? 0)
    }
    return chunk
  }

  /** -1 behind the end of the key: a key comes before the longer ones that begin with it. */
  #byte(row: number, depth: number): number {
    if (depth >= (this.#lengths[row] ?? 0)) return -1
    return this.#slab[(this.#starts[row] ?? 0) + depth] ?? 0
  }

  #sort(order: Uint32Array, from: number, to: number, fromDepth: number): void {
    let low = from
    let high = to
    for (let depth = fromDepth; high - low > 1; depth++) {
      if (high - low <= insertionLimit) {
        this.#insertionSort(order, low, high, depth)
        return
      }
      const pivot = this.#pivot(order, low, high, depth)
      let below = low
      let above = high
      for (let at = low; at < above; ) {
        const row = order[at] as number
        const byte = this.#byte(row, depth)
        if (byte === pivot) at++
        else if (byte < pivot) {
          order[at++] = order[below] as number
          order[below++] = row
        } else {
          order[at] = order[--above] as number
          order[above] = row
        }
      }
      this.#sort(order, low, below, depth)
      this.#sort(order, above, high, depth)
      low = below
      high = above
      if (pivot !== -1) continue
      order.subarray(low, high).sort() // One key: by row number, which is by place.
      return
    }
  }

  #pivot(order: Uint32Array, low: number, high: number, depth: number): number {
    const first = this.#byte(order[low] as number, depth)
    const middle = this.#byte(order[(low + high) >>> 1] as number, depth)
    const last = this.#byte(order[high - 1] as number, depth)
    return Math.max(Math.min(first, middle), Math.min(Math.max(first, middle), last))
  }

  #insertionSort(order: Uint32Array, low: number, high: number, depth: number): void {
    for (let at = low + 1; at < high; at++) {
      const row = order[at] as number
      let to = at
      while (to > low && this.#isAfter(order[to - 1] as number, row, depth)) {
        order[to] = order[to - 1] as number
        to--
      }
      order[to] = row
    }
  }

  #isAfter(left: number, right: number, fromDepth: number): boolean {
    for (let depth = fromDepth; ; depth++) {
      const difference = this.#byte(left, depth) - this.#byte(right, depth)
      if (difference !== 0) return difference > 0
      if (depth >= (this.#lengths[left] ?? 0)) return left > right
    }
  }

  #growArrays(): void {
    const size = this.#starts.length * 2
    const grow = <T extends { set(from: T): void }>(to: T, from: T): T => {
      to.set(from)
      return to
    }
    this.#starts = grow(new Uint32Array(size), this.#starts)
    this.#lengths = grow(new Uint16Array(size), this.#lengths)
    this.#versions = grow(new Uint32Array(size), this.#versions)
    this.#places = grow(new Float64Array(size), this.#places)
    this.#creates = grow(new Float64Array(size), this.#creates)
  }

  #growSlab(extra: number): void {
    const slab = Buffer.allocUnsafeSlow(this.#slab.length * 2 + extra)
    this.#slab.copy(slab, 0, 0, this.#used)
    this.#slab = slab
  }
}
