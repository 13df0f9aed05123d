// Reads rows from store.db on a read-only connection. Long reads let other work run in between.
// Every row is checked against its checksum; a row that does not match is never handed out.

import type { DatabaseSync, StatementSync } from "node:sqlite"
import { isFault } from "../../base/faults.ts"
import type { Page, Place, Row, RowHeader } from "../engine.ts"
import { storeFault } from "../faults.ts"
import { RowCache } from "./row-cache.ts"
import {
  type Cell,
  headerFrom,
  readMeta,
  rowFrom,
  type StoreMeta,
  selectHeaders,
  selectRow,
  selectRows,
} from "./sqlite-schema.ts"

const cacheBytes = 16 * 1024 * 1024
const rowsPerTurn = 256
const bytesPerTurn = 2 * 1024 * 1024
const scanBytes = 8 * 1024 * 1024

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

export class SqliteReader {
  readonly cache = new RowCache(cacheBytes)
  readonly #db: DatabaseSync
  readonly #one: StatementSync
  readonly #page: StatementSync

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#one = db.prepare(selectRow)
    this.#one.setReturnArrays(true)
    this.#page = db.prepare(selectRows)
    this.#page.setReturnArrays(true)
  }

  meta(): StoreMeta {
    return guarded(() => readMeta(this.#db))
  }

  load(each: (header: RowHeader) => void): void {
    guarded(() => {
      const statement = this.#db.prepare(selectHeaders)
      statement.setReturnArrays(true)
      for (const cells of statement.iterate()) each(headerFrom(asCells(cells)))
    })
  }

  async read(places: readonly Place[]): Promise<readonly (Row | undefined)[]> {
    const rows: (Row | undefined)[] = new Array(places.length)
    let fetched = 0
    let bytes = 0
    for (let at = 0; at < places.length; at++) {
      const place = places[at] as Place
      let row = this.cache.get(place)
      if (row === undefined) {
        row = this.#fetch(place)
        fetched++
        bytes += row?.value.length ?? 0
        // A long read would only push out what others use.
        if (row !== undefined && places.length <= rowsPerTurn) this.cache.add(row)
      }
      rows[at] = row
      if (fetched >= rowsPerTurn || bytes >= bytesPerTurn) {
        await nextTurn()
        fetched = 0
        bytes = 0
      }
    }
    return rows
  }

  async scan(after: Place, to: Place, limit: number): Promise<Page> {
    const rows: Row[] = []
    let bytes = 0
    let from = after
    while (rows.length < limit && bytes < scanBytes) {
      const count = Math.min(rowsPerTurn, limit - rows.length)
      const page = guarded(() => this.#page.all(from, to, count).map((c) => rowFrom(asCells(c))))
      for (const row of page) {
        rows.push(row)
        bytes += row.value.length
        from = row.place
      }
      if (page.length < count) return { rows, more: false }
      await nextTurn()
    }
    return { rows, more: true }
  }

  close(): void {
    this.#db.close()
  }

  #fetch(place: Place): Row | undefined {
    return guarded(() => {
      const cells = this.#one.get(place)
      return cells === undefined ? undefined : rowFrom(asCells(cells))
    })
  }
}

/** With setReturnArrays a row is an array of cells; the type only knows the other form. */
function asCells(row: unknown): readonly Cell[] {
  return row as readonly Cell[]
}

/** SQLite's complaint about the file becomes ours, with the hint what to do. */
export function guarded<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (isFault(error)) throw error
    const cause = error instanceof Error ? error.message : String(error)
    throw storeFault("SPT-STORE-011", { cause }, error)
  }
}
