// Keeps the logs of a place within bounds. A program holds its log open, so what it wrote is copied
// and the file is cut to nothing; a line that is written in the microseconds between is lost. While
// no plane runs, logs grow.

import {
  closeSync,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs"
import { logPieces } from "../../../provider/adapter/process-logs.ts"
import { logOf } from "../../../provider/adapter/process-place.ts"
import type { LogKeeper } from "../caretaker.ts"

export const logFiles: LogKeeper = {
  keep(directory, run, { maxBytes, keep }) {
    try {
      const path = logOf(directory, run)
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
      const full = size > maxBytes
      const key = `${run} ${keep}`
      if (!full && tidied.get(directory) === key) return
      const pieces = logPieces(directory)
      const newest = pieces.filter((one) => one.run === run).at(-1)?.piece ?? 1
      if (full) setAside(path, `${path}.${newest}`)
      dropOld(directory, path, keep)
      tidied.set(directory, key)
    } catch {
      // Nobody is told to act on a log that can't be kept short; the next round tries again.
    }
  },
}

/** For which run old pieces were dropped already: nothing new can be too much since. */
const tidied = new Map<string, string>()

function dropOld(directory: string, current: string, keep: number): void {
  const others = logPieces(directory).filter(({ path }) => path !== current)
  for (const { path } of others.slice(0, Math.max(0, others.length - keep))) rmSync(path)
}

function setAside(path: string, piece: string): void {
  const temporary = `${piece}.new`
  copyFileSync(path, temporary)
  const [from, to] = [openSync(path, "r+"), openSync(temporary, "a")]
  try {
    // What came while the copy was made.
    const bytes = Buffer.alloc(65_536)
    let copied = fstatSync(to).size
    for (;;) {
      const count = readSync(from, bytes, 0, bytes.length, copied)
      if (count === 0) break
      writeSync(to, bytes, 0, count)
      copied += count
    }
    ftruncateSync(from, 0)
  } finally {
    closeSync(from)
    closeSync(to)
  }
  renameSync(temporary, piece)
}
