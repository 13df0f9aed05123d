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

/** The file has the old content or the new one, also after a power cut. */
export function writePrivateFile(path: string, text: string): void {
  const partial = `${path}.partial`
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
  renameSync(partial, path)
  syncPath(dirname(path))
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
