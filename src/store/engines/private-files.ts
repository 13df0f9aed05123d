// Files of a data directory: readable by their owner only, and on the disk before anyone relies on
// them. Never open store.db or lock.db here while SQLite has them open in this process: closing
// the second handle would drop SQLite's locks.

import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs"
import { dirname, join } from "node:path"

export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600))
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error
  }
}

/** Opens, syncs and closes; works for files and directories. */
export function syncPath(path: string): void {
  const handle = openSync(path, "r")
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

export interface PrivateWrite {
  /** Asked when everything but the last step is done; false, and the file stays as it was. */
  meant?(): boolean
  /** Where several processes may write the same file at once, each needs a name of its own. */
  readonly writer?: string
}

/** The file has the old content or the new one, also after a power cut. */
export function writePrivateFile(path: string, text: string, how: PrivateWrite = {}): boolean {
  const partial = how.writer === undefined ? `${path}.partial` : `${path}.${how.writer}.partial`
  rmSync(partial, { force: true })
  const handle = openSync(partial, "wx", 0o600)
  try {
    fchmodSync(handle, 0o600)
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  if (how.meant?.() === false) {
    rmSync(partial, { force: true })
    return false
  }
  renameSync(partial, path)
  syncPath(dirname(path))
  return true
}

/** Makes the directory and its parents; each new one is synced into its parent. */
export function createPrivateDirectory(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) syncPath(dirname(made))
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code
}

export function storePath(directory: string): string {
  return join(directory, "store.db")
}
