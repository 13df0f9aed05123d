// The rows used last, bounded in bytes. Rows never change, so nothing here can be stale. Two
// generations instead of an exact order of use: a Map that is emptied from its front gets slow.

import type { Place, Row } from "../engine.ts"

const overheadBytes = 256

export class RowCache {
  readonly #generationBytes: number
  #young = new Map<Place, Row>()
  #old = new Map<Place, Row>()
  #youngBytes = 0

  constructor(maxBytes: number) {
    this.#generationBytes = maxBytes / 2
  }

  get(place: Place): Row | undefined {
    const young = this.#young.get(place)
    if (young !== undefined) return young
    const old = this.#old.get(place)
    if (old !== undefined) this.add(old)
    return old
  }

  add(row: Row): void {
    const bytes = row.value.length + overheadBytes
    if (bytes > this.#generationBytes / 4) return
    if (this.#youngBytes + bytes > this.#generationBytes) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngBytes = 0
    }
    this.#young.set(row.place, row)
    this.#youngBytes += bytes
  }

  remove(place: Place): void {
    this.#old.delete(place)
    const row = this.#young.get(place)
    if (row === undefined) return
    this.#young.delete(place)
    this.#youngBytes -= row.value.length + overheadBytes
  }
}
