// The rows used last, bounded in bytes. Rows never change, so nothing here can be stale.

import type { Place, Row } from "../engine.ts"

const overheadBytes = 256

export class RowCache {
  readonly #maxBytes: number
  readonly #rows = new Map<Place, Row>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(place: Place): Row | undefined {
    const row = this.#rows.get(place)
    if (row === undefined) return undefined
    // Put at the end again: the map's order is the order of use.
    this.#rows.delete(place)
    this.#rows.set(place, row)
    return row
  }

  add(row: Row): void {
    if (row.value.length > this.#maxBytes / 8 || this.#rows.has(row.place)) return
    this.#rows.set(row.place, row)
    this.#bytes += row.value.length + overheadBytes
    for (const [place, oldest] of this.#rows) {
      if (this.#bytes <= this.#maxBytes) break
      this.#rows.delete(place)
      this.#bytes -= oldest.value.length + overheadBytes
    }
  }

  remove(place: Place): void {
    const row = this.#rows.get(place)
    if (row === undefined) return
    this.#rows.delete(place)
    this.#bytes -= row.value.length + overheadBytes
  }
}
