// Backups as files of one directory. The name says time and revision and is given only to a copy
// that was verified: what has such a name is good.

import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { backupStore } from "../../store/engines/backup.ts"
import { syncPath } from "../../store/engines/private-files.ts"
import { storeFault } from "../../store/faults.ts"
import type { BackupFile, BackupFiles } from "../backup-schedule.ts"
import { verifyBackup } from "./verify-backup.ts"

export interface BackupFilesOptions {
  readonly directory: string
  /** The data directory. */
  readonly data: string
  readonly planeId: string
  /** The newest revision of the store, and the last entry of each journal. */
  facts(): Promise<{ readonly revision: number; readonly heads: ReadonlyMap<string, number> }>
}

const named = /^setpoint-(\d{8})T(\d{6})Z-r(\d+)\.db$/

export function backupFiles(options: BackupFilesOptions): BackupFiles {
  const directory = resolve(options.directory)
  return {
    directory,
    list: async () => listed(directory),
    make: (at) => make(directory, at, options),
    remove: async ({ file }) => rmSync(file, { force: true }),
  }
}

function listed(directory: string): BackupFile[] {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const found = readdirSync(directory).flatMap((name) => {
    const match = named.exec(name)
    if (match === null) return []
    const [, day = "", time = "", revision = ""] = match
    const file = join(directory, name)
    const bytes = statSync(file).size
    return [{ file, at: timestampOf(day, time), revision: Number(revision), bytes }]
  })
  return found.sort((left, right) => left.revision - right.revision)
}

async function make(directory: string, at: string, options: BackupFilesOptions) {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // One name for what is not good yet: a failing disk is not filled with leftovers.
  const unverified = join(directory, "setpoint.unverified")
  rmSync(unverified, { force: true })
  const before = await options.facts()
  const made = await backupStore(options.data, unverified)
  const found = await verifyBackup(unverified)
  const wrong = (cause: string) => storeFault("SPT-STORE-033", { file: unverified, cause })
  if (found.planeId !== options.planeId) throw wrong(`it is of plane ${found.planeId}`)
  if (found.revision < before.revision) {
    throw wrong(`it ends at revision ${found.revision}, before ${before.revision}`)
  }
  for (const [loop, sequence] of before.heads) {
    const has = found.journals[loop] ?? 0
    if (has < sequence) throw wrong(`the journal of ${loop} ends at ${has}, before ${sequence}`)
  }
  const stamp = at.replaceAll(/[-:]/g, "")
  const file = join(directory, `setpoint-${stamp}-r${found.revision}.db`)
  renameSync(unverified, file)
  syncPath(directory)
  return { file, at, revision: found.revision, bytes: made.bytes }
}

function timestampOf(day: string, time: string): string {
  const date = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6, 8)}`
  return `${date}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4, 6)}Z`
}
