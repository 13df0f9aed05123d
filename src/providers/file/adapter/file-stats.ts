// FileStat values from lstat. Kept lean: a sweep over 10,000 files runs through here.

import { type BigIntStats, lstatSync } from "node:fs"
import type { FileStat } from "../../../contract/world.ts"
import { callFault } from "./system-call.ts"

const options = { bigint: true, throwIfNoEntry: false } as const

const typeMask = 0o170000
const types: Readonly<Record<number, FileStat["type"]>> = {
  32768: "file",
  16384: "directory",
  40960: "symlink",
}

export function toFileStat(stat: BigIntStats): FileStat {
  const mode = Number(stat.mode)
  return {
    type: types[mode & typeMask] ?? "other",
    inode: stat.ino.toString(),
    device: stat.dev.toString(),
    size: Number(stat.size),
    mode: mode & 0o7777,
    uid: Number(stat.uid),
    gid: Number(stat.gid),
    mtimeNs: stat.mtimeNs.toString(),
    ctimeNs: stat.ctimeNs.toString(),
  }
}

export function lstatOf(path: string): FileStat | undefined {
  let stat: BigIntStats | undefined
  try {
    stat = lstatSync(path, options)
  } catch (error) {
    throw callFault("lstat", path, error)
  }
  if (stat !== undefined) return toFileStat(stat)
  // Node answers "no entry" for ENOTDIR as well; only ENOENT is an absence.
  try {
    const late = lstatSync(path, { bigint: true })
    return toFileStat(late)
  } catch (error) {
    const fault = callFault("lstat", path, error)
    if (fault.details.errno === "ENOENT") return undefined
    throw fault
  }
}

export function lstatManyOf(paths: readonly string[]): (FileStat | undefined | Error)[] {
  const results: (FileStat | undefined | Error)[] = new Array(paths.length)
  for (let index = 0; index < paths.length; index++) {
    const path = paths[index] as string
    try {
      const stat = lstatSync(path, options)
      results[index] = stat === undefined ? lstatOf(path) : toFileStat(stat)
    } catch (error) {
      results[index] =
        error instanceof Error && "setpointFault" in error ? error : callFault("lstat", path, error)
    }
  }
  return results
}
