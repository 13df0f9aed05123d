// One plane per data directory: an exclusive transaction on lock.db, held for the life of the
// process. The system drops it when the process dies, however it dies. The process id beside it is
// only for the message; nobody decides by it.

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { protects } from "../../base/protections.ts"
import { storeFault } from "../faults.ts"
import { createPrivateFile } from "./private-files.ts"

const sqliteBusy = 5

export interface DirectoryLock {
  release(): void
}

export function lockDirectory(directory: string): DirectoryLock {
  const path = join(directory, "lock.db")
  const pidPath = join(directory, "lock.pid")
  createPrivateFile(path)
  const db = new DatabaseSync(path)
  try {
    if (protects("one-plane-per-directory")) db.exec("BEGIN EXCLUSIVE")
  } catch (error) {
    db.close()
    const busy =
      error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === sqliteBusy
    if (busy) throw storeFault("SPT-STORE-020", { directory, pid: readPid(pidPath) })
    const cause = error instanceof Error ? error.message : String(error)
    throw storeFault("SPT-STORE-025", { directory, cause }, error)
  }
  createPrivateFile(pidPath)
  writeFileSync(pidPath, `${process.pid}\n`)
  return {
    release() {
      if (!db.isOpen) return
      if (db.isTransaction) db.exec("ROLLBACK")
      db.close()
    },
  }
}

function readPid(path: string): string {
  try {
    const text = readFileSync(path, "utf8").trim()
    return /^\d{1,10}$/.test(text) ? text : "unknown"
  } catch {
    return "unknown"
  }
}
