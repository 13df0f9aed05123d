// Keeps the logs of a place within bounds. A program holds its log open, so what it wrote is copied
// and the file is cut to nothing; a line that is written in the microseconds between is lost. The
// copy is made in small steps, one log at a time, and is never longer than twice what a file may
// be; where it leaves something out, it says so. While no plane runs, logs grow.

import {
  appendFileSync,
  fstatSync,
  ftruncateSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { logPieces } from "../../../provider/adapter/process-logs.ts"
import { logOf } from "../../../provider/adapter/process-place.ts"
import type { LogKeeper } from "../caretaker.ts"
import type { ProcessSpec } from "../process-spec.ts"

const stepBytes = 262_144

export const logFiles: LogKeeper = {
  keep(directory, run, limits) {
    if (waiting.has(directory) || !needsCare(directory, run, limits)) return Promise.resolve()
    waiting.add(directory)
    last = last.then(async () => {
      try {
        await keepPlace(directory, run, limits)
      } catch {
        // Nobody is told to act on a log that can't be kept short; the next round tries again.
      } finally {
        waiting.delete(directory)
      }
    })
    return last
  },
}

/** One after the other: a disk that is slow for one gets no faster by asking for all. */
let last: Promise<void> = Promise.resolve()
const waiting = new Set<string>()
/** For which run old pieces were dropped already: nothing new can be too much since. */
const tidied = new Map<string, string>()

type Limits = ProcessSpec["logs"]

const keyOf = (run: number, { keep }: Limits) => `${run} ${keep}`

function needsCare(directory: string, run: number, limits: Limits): boolean {
  return tidied.get(directory) !== keyOf(run, limits) || sizeOf(directory, run) > limits.maxBytes
}

function sizeOf(directory: string, run: number): number {
  try {
    return statSync(logOf(directory, run), { throwIfNoEntry: false })?.size ?? 0
  } catch {
    return 0
  }
}

async function keepPlace(directory: string, run: number, limits: Limits): Promise<void> {
  const path = logOf(directory, run)
  if (sizeOf(directory, run) > limits.maxBytes) {
    const pieces = logPieces(directory).filter((one) => one.run === run)
    await setAside(path, `${path}.${pieces.at(-1)?.piece ?? 1}`, limits.maxBytes)
  }
  dropOld(directory, path, limits.keep)
  tidied.set(directory, keyOf(run, limits))
}

function dropOld(directory: string, current: string, keep: number): void {
  const others = logPieces(directory).filter(({ path }) => path !== current)
  for (const { path } of others.slice(0, Math.max(0, others.length - keep))) rmSync(path)
}

async function setAside(path: string, piece: string, maxBytes: number): Promise<void> {
  const temporary = `${piece}.new`
  const from = await open(path, "r+")
  let to: FileHandle | undefined
  try {
    to = await open(temporary, "w", 0o600)
    const at = await copyMost(from, to, maxBytes)
    const missed = copyRest(from.fd, to.fd, at)
    // Nobody reads between these two: a reader would take the piece for one that it has not seen.
    ftruncateSync(from.fd, 0)
    renameSync(temporary, piece)
    if (missed > 0) appendFileSync(path, lost(missed, "it grew faster than it could be copied"))
  } catch (error) {
    rmSync(temporary, { force: true })
    const { code } = Object(error)
    if (code !== "ENOSPC" && code !== "EDQUOT") throw error
    // A log that fills the disk must not keep itself from being cut.
    const { size } = fstatSync(from.fd)
    ftruncateSync(from.fd, 0)
    appendFileSync(path, lost(size, `there is no space to keep it (${code})`))
  } finally {
    await to?.close()
    await from.close()
  }
}

const lost = (bytes: number, why: string) =>
  `setpoint: ${bytes} bytes of this log are lost: ${why}\n`

/** In small steps, up to the last one; where that begins. */
async function copyMost(from: FileHandle, to: FileHandle, maxBytes: number): Promise<number> {
  const { size } = await from.stat()
  const first = size > 2 * maxBytes ? size - maxBytes : 0
  if (first > 0) await to.appendFile(lost(first, "it was longer than logs.maxBytes by far"))
  const bytes = Buffer.alloc(stepBytes)
  let at = first
  while ((await from.stat()).size - at > stepBytes && at - first < 2 * maxBytes) {
    const { bytesRead } = await from.read(bytes, 0, stepBytes, at)
    if (bytesRead === 0) break
    await to.appendFile(bytes.subarray(0, bytesRead))
    at += bytesRead
  }
  return at
}

/** The last step, at once, so that little can be written meanwhile; how many bytes are more. */
function copyRest(from: number, to: number, at: number): number {
  const bytes = Buffer.alloc(stepBytes)
  const count = readSync(from, bytes, 0, stepBytes, at)
  appendFileSync(to, bytes.subarray(0, count))
  return Math.max(0, fstatSync(from).size - at - count)
}
