// The named adapter between the directory source and the real disk. Reads only. Never opens a
// pipe or follows a symlink at the last component; every error carries its errno.

import {
  type BigIntStats,
  closeSync,
  constants,
  type FSWatcher,
  lstatSync,
  openSync,
  readSync,
  watch,
} from "node:fs"
import { lstat, readdir } from "node:fs/promises"
import type { Fault } from "../../../base/faults.ts"
import type { FileStat } from "../../../contract/world.ts"
import { sourceFault } from "../../faults.ts"
import type { SourceFiles } from "../source-files.ts"

export const nodeSourceFiles: SourceFiles = {
  async lstat(path) {
    try {
      return toStat(await lstat(path, { bigint: true }))
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return undefined
      throw toFault(error, path)
    }
  },

  lstatMany(paths) {
    return paths.map((path) => {
      try {
        const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
        return stat === undefined ? undefined : toStat(stat)
      } catch (error) {
        return toFault(error, path)
      }
    })
  },

  async list(path) {
    try {
      const entries = await readdir(path, { withFileTypes: true })
      return entries.map((entry) => ({ name: entry.name, type: typeOf(entry) }))
    } catch (error) {
      throw toFault(error, path)
    }
  },

  // Synchronous: the trip through the thread pool costs ten times the read of a small file. The
  // caller lets others run between the files, and their stats have just been answered.
  async read(path, bytesMax) {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    try {
      const file = openSync(path, flags)
      try {
        return readBounded(file, bytesMax)
      } finally {
        closeSync(file)
      }
    } catch (error) {
      throw toFault(error, path)
    }
  },

  watch(directory, changed) {
    let watcher: FSWatcher
    try {
      watcher = watch(directory, { persistent: false }, (_event, name) => {
        changed(name ?? undefined)
      })
    } catch (error) {
      throw toFault(error, directory)
    }
    // The watched folder went away: that is a change like any other.
    watcher.on("error", () => changed(undefined))
    return { close: () => watcher.close() }
  },
}

/** A short read of a regular file is its end; the reader compares the length with the stat. */
function readBounded(file: number, bytesMax: number): Uint8Array {
  // One byte more than expected: a file that grows meanwhile is noticed by its length.
  const buffer = new Uint8Array(bytesMax + 1)
  return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, 0))
}

function errnoOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code
  return error instanceof Error ? error.message : String(error)
}

function toFault(error: unknown, given: string): Fault {
  const errno = errnoOf(error)
  const path = given.replace(/\/\.$/, "")
  const denied = errno === "EACCES" || errno === "EPERM"
  if (denied) return sourceFault("SPT-SOURCE-031", { path, errno }, error)
  if (errno === "ENOTDIR") return sourceFault("SPT-SOURCE-032", { path, errno }, error)
  return sourceFault("SPT-SOURCE-036", { path, errno }, error)
}

function typeOf(entry: {
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}): FileStat["type"] {
  if (entry.isFile()) return "file"
  if (entry.isDirectory()) return "directory"
  return entry.isSymbolicLink() ? "symlink" : "other"
}

function toStat(stat: BigIntStats): FileStat {
  return {
    type: typeOf(stat),
    inode: String(stat.ino),
    device: String(stat.dev),
    size: Number(stat.size),
    mode: Number(stat.mode & 0o7777n),
    uid: Number(stat.uid),
    gid: Number(stat.gid),
    mtimeNs: String(stat.mtimeNs),
    ctimeNs: String(stat.ctimeNs),
  }
}
