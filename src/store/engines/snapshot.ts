// Opens store.db for reading without writing a byte into its directory, whether a plane is running
// on it, has crashed, or has ended. A plain read-only open would rewrite the -shm file.

import { existsSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { storeFault } from "../faults.ts"
import { storePath } from "./private-files.ts"
import { isImageable, logHeader, readWalImage } from "./wal-image.ts"

export interface Snapshot {
  readonly db: DatabaseSync
  /** False when a plane started meanwhile, so that what was read may be mixed. */
  stillValid(): boolean
}

export interface SnapshotOptions {
  /**
   * Opens no file for writing, not even one that then is not written: SQLite itself opens an
   * existing log so, and as root sets its owner again. Costs a copy in memory of what is stored.
   */
  readonly untouched?: boolean
}

export function openSnapshot(directory: string, options: SnapshotOptions = {}): Snapshot {
  const path = storePath(directory)
  if (!existsSync(path) || statSync(path).size === 0) {
    const cause = existsSync(path) ? "store.db is empty" : "store.db is missing"
    throw storeFault("SPT-STORE-022", { directory, cause })
  }
  const url = pathToFileURL(path).href
  const hasLog = () => existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0
  if (!hasLog()) {
    const db = new DatabaseSync(`${url}?immutable=1&mode=ro`, { readOnly: true })
    return { db, stillValid: () => !hasLog() }
  }
  if (options.untouched === true && isImageable(path)) return openImage(path)
  if (existsSync(`${path}-shm`)) {
    const options = { readOnly: true, timeout: 5000 }
    const db = new DatabaseSync(`${url}?mode=ro&readonly_shm=1`, options)
    return { db, stillValid: () => true }
  }
  const db = new DatabaseSync(":memory:")
  db.deserialize(readWalImage(path))
  return { db, stillValid: () => !existsSync(`${path}-shm`) }
}

/** The file first and its log after it: what a checkpoint moves meanwhile is still in the log. */
function openImage(path: string): Snapshot {
  const before = logHeader(path)
  const image = readWalImage(path)
  const same = before === logHeader(path) // A log that began anew holds other pages.
  const db = new DatabaseSync(":memory:")
  if (same) db.deserialize(image)
  return { db, stillValid: () => same }
}
