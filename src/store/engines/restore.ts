// Makes a data directory from a backup file. The file is taken for hostile: it is copied, bounded,
// and every table, row and checksum is looked at before anything relies on it. Revisions jump far
// ahead, so that none is used twice and every watcher is told to read anew; the plane stays marked
// as restored until it has observed everything again.

import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs"
import { resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type Clock, toTimestamp } from "../../base/clock.ts"
import { isFault } from "../../base/faults.ts"
import { placeOf, placesPerRevision, type Row, revisionOf } from "../engine.ts"
import { storeFault } from "../faults.ts"
import { epochKey, restoredKey } from "../kv-store.ts"
import { maxValueBytes, requireKey } from "../limits.ts"
import { lockDirectory } from "./directory-lock.ts"
import { writeIdentity } from "./identity-file.ts"
import { createPrivateDirectory, storePath, syncPath } from "./private-files.ts"
import {
  type Cell,
  checksumOf,
  insertRow,
  readMeta,
  rowFrom,
  type StoreMeta,
  selectRows,
  storeFormat,
} from "./sqlite-schema.ts"

/** More than a plane writes in the time between a backup and its restore. */
export const restoreRevisionStep = 1_000_000_000
const restoreEpochStep = 1_000_000
const defaultMaxBytes = 64 * 1024 ** 3
const maxRevision = Math.floor(Number.MAX_SAFE_INTEGER / placesPerRevision) - restoreRevisionStep

export interface RestoreOptions {
  readonly clock: Clock
  readonly maxBytes?: number
}

export interface RestoreResult {
  readonly directory: string
  readonly planeId: string
  /** The first revision of the restored plane. */
  readonly revision: number
}

export function restoreBackup(
  file: string,
  directory: string,
  options: RestoreOptions,
): RestoreResult {
  const target = resolve(directory)
  requireFile(file, options.maxBytes ?? defaultMaxBytes)
  if (existsSync(target) && readdirSync(target).length > 0)
    throw storeFault("SPT-STORE-032", { directory: target })
  const existed = existsSync(target)
  createPrivateDirectory(target)
  const lock = lockDirectory(target)
  const path = storePath(target)
  const partial = `${path}.partial`
  try {
    copyFileSync(file, partial, constants.COPYFILE_EXCL)
    const restored = rewrite(partial)
    syncPath(partial)
    renameSync(partial, path)
    syncPath(target)
    const { planeId } = restored
    const createdAt = toTimestamp(options.clock.now())
    writeIdentity(target, { format: storeFormat, planeId, createdAt })
    lock.release()
    return { directory: target, ...restored }
  } catch (error) {
    lock.release()
    for (const name of readdirSync(target)) rmSync(`${target}/${name}`, { force: true })
    if (!existed) rmSync(target, { recursive: true, force: true })
    const cause = error instanceof Error ? error.message : String(error)
    const inner = isFault(error) ? cause.replace("cannot trust the store: ", "") : cause
    throw storeFault("SPT-STORE-031", { file, cause: inner }, error)
  }
}

function requireFile(file: string, maxBytes: number): void {
  const wrong = (cause: string, error?: unknown) =>
    storeFault("SPT-STORE-031", { file, cause }, error)
  let handle: number
  try {
    handle = openSync(file, "r")
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error), error)
  }
  try {
    const facts = fstatSync(handle)
    if (!facts.isFile()) throw wrong("it is not a file")
    if (facts.size === 0) throw wrong("it is empty")
    if (facts.size > maxBytes) throw wrong(`it has ${facts.size} bytes, at most ${maxBytes}`)
  } finally {
    closeSync(handle)
  }
}

function rewrite(path: string): { planeId: string; revision: number } {
  const db = new DatabaseSync(path)
  try {
    const { planeId, newest, own } = inspectBackup(db)
    const revision = newest + restoreRevisionStep
    writeMarks(db, revision, own)
    return { planeId, revision }
  } finally {
    db.close()
  }
}

/** Everything that a restore relies on, looked at; throws saying what is wrong. Writes nothing. */
export function inspectBackup(db: DatabaseSync): {
  readonly planeId: string
  readonly newest: number
  readonly own: ReadonlyMap<string, Row>
} {
  db.exec("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA mmap_size=0")
  const meta = readMeta(db)
  if (meta.format > storeFormat)
    throw new Error(`it has format ${meta.format}, and this version knows up to ${storeFormat}`)
  const check = db.prepare("PRAGMA integrity_check(1)").get()?.integrity_check
  if (check !== "ok") throw new Error(`it is damaged (${String(check)})`)
  return { planeId: meta.planeId, ...verifyRows(db, meta) }
}

/** Every row is what a store could have written; answers the newest rows of our own keys. */
function verifyRows(db: DatabaseSync, meta: StoreMeta): { newest: number; own: Map<string, Row> } {
  const own = new Map<string, Row>()
  let place = -1
  const statement = db.prepare(selectRows)
  statement.setReturnArrays(true)
  for (;;) {
    const page = statement.all(place, Number.MAX_SAFE_INTEGER, 256)
    for (const cells of page) {
      const row = rowFrom(asCells(cells))
      requireKey(row.key)
      const counts = [row.place, row.createRevision, row.previousRevision, row.version]
      const sound = counts.every((count) => Number.isSafeInteger(count) && count >= 0)
      const known = row.lease === undefined || /^[0-9a-f]{1,64}$/.test(row.lease)
      if (!sound || !known || row.value.length > maxValueBytes)
        throw new Error(`the row of ${row.key} can't be right`)
      if (row.key === epochKey || row.key === restoredKey) own.set(row.key, row)
      place = row.place
    }
    if (page.length === 0) break
  }
  const newest = Math.max(meta.compacted, place < 0 ? 0 : revisionOf(place))
  if (newest > maxRevision) throw new Error("its revisions are used up")
  return { newest, own }
}

function writeMarks(db: DatabaseSync, revision: number, own: ReadonlyMap<string, Row>): void {
  const before = Number(Buffer.from(own.get(epochKey)?.value ?? []).toString() || "0")
  const values = [
    [epochKey, String(before + restoreEpochStep)],
    [restoredKey, "true"],
  ] as const
  db.exec("PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL; BEGIN IMMEDIATE")
  for (const [index, [key, value]] of values.entries()) {
    const old = own.get(key)
    const there = old !== undefined && old.version > 0
    const row: Row = {
      place: placeOf(revision, index),
      key,
      createRevision: there ? old.createRevision : revision,
      previousRevision: there ? revisionOf(old.place) : 0,
      version: there ? old.version + 1 : 1,
      lease: undefined,
      value: Buffer.from(value),
    }
    const cells = [row.createRevision, row.previousRevision, row.version, null] as const
    db.prepare(insertRow).run(row.place, key, ...cells, checksumOf(row), row.value)
  }
  db.prepare("UPDATE meta SET value = ? WHERE name = 'compacted'").run(String(revision))
  db.exec("COMMIT; PRAGMA journal_mode=WAL")
}

function asCells(row: unknown): readonly Cell[] {
  return row as readonly Cell[]
}
