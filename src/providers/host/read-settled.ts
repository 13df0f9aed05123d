// Reads a file whole: content belongs to a stat only when the stat was the same before and after.

import type { FileStat, FilesRead } from "../../contract/world.ts"

const attemptsMax = 5

export interface Settled {
  readonly stat: FileStat
  readonly stamp: string
  readonly bytes: Uint8Array
}

export function stampOf({ inode, size, mode, uid, gid, mtimeNs, ctimeNs }: FileStat): string {
  return [inode, size, mode.toString(8), uid, gid, mtimeNs, ctimeNs].join(".")
}

/** Undefined when there is no such file; what keeps changing or can't be read is thrown. */
export async function readSettled(
  files: FilesRead,
  path: string,
  bytesMax: number,
): Promise<Settled | undefined> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const before = await files.lstat(path)
    if (before === undefined) return undefined
    const bytes = await files.read(path, bytesMax)
    const after = await files.lstat(path)
    if (after === undefined) continue
    const stamp = stampOf(after)
    if (stampOf(before) === stamp && bytes.length === after.size) {
      return { stat: after, stamp, bytes }
    }
  }
  throw new Error(`cannot read ${path}: it keeps changing`)
}
