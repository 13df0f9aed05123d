// Rows in memory, gone with the process. For tests and for simulations that need no disk.

import type { Engine, Marks, Page, Place, Row, RowHeader } from "../engine.ts"

export class MemoryEngine implements Engine {
  readonly #rows = new Map<Place, Row>()
  /** Ascending; places that were swept stay until half of them are gone. */
  #order: Place[] = []
  #marks: Marks = { compacted: 0, swept: 0 }

  async load(each: (header: RowHeader) => void): Promise<Marks> {
    for (const place of this.#order) {
      const row = this.#rows.get(place)
      if (row !== undefined) each(row)
    }
    return this.#marks
  }

  async append(rows: readonly Row[]): Promise<void> {
    for (const row of rows) {
      this.#rows.set(row.place, row)
      this.#order.push(row.place)
    }
  }

  async read(places: readonly Place[]): Promise<readonly (Row | undefined)[]> {
    return places.map((place) => this.#rows.get(place))
  }

  async scan(after: Place, to: Place, limit: number): Promise<Page> {
    const rows: Row[] = []
    for (let at = this.#firstAfter(after); at < this.#order.length; at++) {
      const place = this.#order[at] as Place
      if (place > to) break
      if (rows.length === limit) return { rows, more: true }
      const row = this.#rows.get(place)
      if (row !== undefined) rows.push(row)
    }
    return { rows, more: false }
  }

  async sweep(marks: Marks, places: readonly Place[]): Promise<void> {
    this.#marks = marks
    for (const place of places) this.#rows.delete(place)
    if (this.#order.length > 2 * this.#rows.size + 16)
      this.#order = this.#order.filter((place) => this.#rows.has(place))
  }

  async pause(): Promise<void> {}

  async close(): Promise<void> {}

  #firstAfter(place: Place): number {
    let low = 0
    let high = this.#order.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#order[middle] as Place) <= place) low = middle + 1
      else high = middle
    }
    return low
  }
}
