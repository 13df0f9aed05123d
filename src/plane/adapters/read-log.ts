// What was added to a log since the last look, as whole lines. A rotated log is read from its
// start; of more than one part may hold, only the newest is read.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import type { LogCursor, LogPart } from "../../contract/probes.ts"
import { controllerFault } from "../../controllers/faults.ts"

const partBytesMax = 1 << 20
const lineMax = 4096

export function readLog(path: string, cursor: LogCursor | undefined): LogPart {
  // Not blocking: a pipe with nobody at its other end must not stop the plane.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const { dev, ino, size, isFile } = statOf(descriptor)
    if (!isFile) throw controllerFault("SPT-SIG-001", { cause: `${path} is not a file` })
    const file = `${dev}:${ino}`
    if (cursor === undefined) return { cursor: { file, offset: size }, lines: [], skipped: false }
    const same = cursor.file === file && cursor.offset <= size
    const from = same ? cursor.offset : 0
    const start = Math.max(from, size - partBytesMax)
    const buffer = Buffer.alloc(size - start)
    const read = readSync(descriptor, buffer, 0, buffer.length, start)
    const text = buffer.subarray(0, read)
    const end = text.lastIndexOf(10) + 1
    // A line that fills a whole part has no end in sight: it is left behind.
    const taken = end === 0 && read >= partBytesMax ? read : end
    const lines = text.subarray(0, end).toString("utf8").split("\n").slice(0, -1)
    return {
      cursor: { file, offset: start + taken },
      lines: lines.map((line) => line.slice(0, lineMax)),
      skipped: start > from,
    }
  } finally {
    closeSync(descriptor)
  }
}

function statOf(descriptor: number) {
  const stats = fstatSync(descriptor)
  return { dev: stats.dev, ino: stats.ino, size: stats.size, isFile: stats.isFile() }
}
