// What store.db contains: one table of rows in the order of places, and a few marks. The text is
// compared with what a file holds, so a file with anything else in it is refused. `format` says
// how to read it; a newer format is never guessed at.

import type { DatabaseSync } from "node:sqlite"
import { crc32 } from "node:zlib"
import type { Marks, Row, RowHeader } from "../engine.ts"
import { storeFault } from "../faults.ts"

export const storeFormat = 1

const tables: Readonly<Record<string, string>> = {
  meta: "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
  rows:
    "CREATE TABLE rows (place INTEGER PRIMARY KEY, key TEXT NOT NULL, created INTEGER NOT NULL, " +
    "previous INTEGER NOT NULL, version INTEGER NOT NULL, lease TEXT, " +
    "checksum INTEGER NOT NULL, value BLOB NOT NULL) STRICT",
}

export interface StoreMeta extends Marks {
  readonly format: number
  readonly planeId: string
}

export function createSchema(db: DatabaseSync, planeId: string): void {
  db.exec("PRAGMA page_size=4096; PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL")
  db.exec("PRAGMA synchronous=FULL; BEGIN IMMEDIATE")
  for (const text of Object.values(tables)) db.exec(text)
  const insert = db.prepare("INSERT INTO meta (name, value) VALUES (?, ?)")
  insert.run("format", String(storeFormat))
  insert.run("planeId", planeId)
  insert.run("compacted", "0")
  insert.run("swept", "0")
  db.exec("COMMIT")
}

/** Throws SPT-STORE-011 when the file holds anything but our tables and marks. */
export function readMeta(db: DatabaseSync): StoreMeta {
  const wrong = (cause: string) => storeFault("SPT-STORE-011", { cause })
  const schema = db.prepare("SELECT type, name, sql FROM sqlite_schema").all()
  if (schema.length === 0) throw wrong("it is empty")
  for (const { type, name, sql } of schema) {
    const known = type === "table" && tables[String(name)] === sql
    const own = type === "index" && sql === null
    if (!known && !own) throw wrong(`it holds an unknown ${String(type)} ${String(name)}`)
  }
  if (schema.filter(({ type }) => type === "table").length !== Object.keys(tables).length)
    throw wrong("a table is missing")
  const found = new Map<string, string>()
  for (const { name, value } of db.prepare("SELECT name, value FROM meta").all())
    found.set(String(name), String(value))
  const count = (name: string) => {
    const value = Number(found.get(name) ?? Number.NaN)
    if (!Number.isSafeInteger(value) || value < 0) throw wrong(`its mark ${name} is no number`)
    return value
  }
  const planeId = found.get("planeId") ?? ""
  if (!/^[0-9a-zA-Z-]{1,64}$/.test(planeId)) throw wrong("it names no plane")
  const marks = { compacted: count("compacted"), swept: count("swept") }
  return { format: count("format"), planeId, ...marks }
}

export const insertRow =
  "INSERT INTO rows (place, key, created, previous, version, lease, checksum, value) " +
  "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
export const selectHeaders =
  "SELECT place, key, created, previous, version, lease FROM rows ORDER BY place"
const columns = "place, key, created, previous, version, lease, checksum, value"
export const selectRow = `SELECT ${columns} FROM rows WHERE place = ?`
const between = "place > ? AND place <= ?"
export const selectRows = `SELECT ${columns} FROM rows WHERE ${between} ORDER BY place LIMIT ?`

export type Cell = null | number | bigint | string | Uint8Array

/** Statements return arrays: less work per row than objects with names. */
export function headerFrom(cells: readonly Cell[]): RowHeader {
  const [place, key, createRevision, previousRevision, version, lease] = cells
  return {
    place: place as number,
    key: key as string,
    createRevision: createRevision as number,
    previousRevision: previousRevision as number,
    version: version as number,
    lease: lease === null ? undefined : (lease as string),
  }
}

/** Throws SPT-STORE-011 when the row is not what was written. */
export function rowFrom(cells: readonly Cell[]): Row {
  const row: Row = { ...headerFrom(cells), value: cells[7] as Uint8Array }
  if (cells[6] === checksumOf(row)) return row
  const cause = `the row at ${row.place} (${row.key}) does not match its checksum`
  throw storeFault("SPT-STORE-011", { cause })
}

export function checksumOf(row: Row): number {
  const { place, createRevision, previousRevision, version, lease, key } = row
  let seed = fold(0, place)
  seed = fold(seed, createRevision)
  seed = fold(seed, previousRevision)
  seed = fold(seed, version)
  seed = crc32(lease === undefined ? key : `${key} ${lease}`, seed)
  // Node 22 hands out empty values without memory behind them, for which zlib begins anew.
  return row.value.length === 0 ? seed : crc32(row.value, seed)
}

/** Takes a whole number of up to 53 bits into a seed of 32 bits; every bit counts. */
function fold(seed: number, count: number): number {
  const high = Math.floor(count / 0x1_0000_0000)
  return (Math.imul(Math.imul(seed ^ (count | 0), 0x9e3779b1) ^ high, 0x85ebca6b) ^ seed) >>> 0
}
