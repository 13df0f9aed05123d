// What the runs of a place wrote: `logs/N.log` is the newest piece of run N, `logs/N.log.K` are
// older ones, K counting up. A position names run, piece and byte, so that it survives rotation;
// what was dropped meanwhile is passed over.

import { closeSync, openSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import type { LogPage, LogRequest } from "../../contract/processes.ts"
import { providerFault } from "../faults.ts"
import { callFault, logsOf, namesIn } from "./process-place.ts"

export interface LogPiece {
  readonly run: number
  /** The newest piece of a run comes after all others. */
  readonly piece: number
  readonly path: string
  readonly size: number
}

interface Position {
  readonly run: number
  readonly piece: number
  readonly offset: number
}

const pattern = /^([1-9]\d{0,8})\.log(?:\.([1-9]\d{0,8}))?$/

/** Oldest first. */
export function logPieces(directory: string): LogPiece[] {
  const found = (namesIn(logsOf(directory)) ?? []).flatMap((name) => {
    const [, run, piece] = pattern.exec(name) ?? []
    if (run === undefined) return []
    const path = join(logsOf(directory), name)
    const size = statSync(path, { throwIfNoEntry: false })?.size
    if (size === undefined) return []
    return [{ run: Number(run), piece: piece === undefined ? 0 : Number(piece), path, size }]
  })
  const newest = new Map<number, number>()
  for (const { run, piece } of found) newest.set(run, Math.max(newest.get(run) ?? 0, piece))
  const numbered = found.map((one) =>
    one.piece > 0 ? one : { ...one, piece: (newest.get(one.run) ?? 0) + 1 },
  )
  return numbered.sort((left, right) => left.run - right.run || left.piece - right.piece)
}

export function readLog(directory: string, request: LogRequest): LogPage {
  const all = logPieces(directory)
  const { after, tail, previous = false, bytesMax } = request
  if (after !== undefined) {
    const from = readPosition(after)
    return pageAfter(previous ? all.filter(({ run }) => run === from.run) : all, from, bytesMax)
  }
  const runs = [...new Set(all.map(({ run }) => run))]
  const run = runs.at(previous ? -2 : -1)
  if (run === undefined) return { text: "", next: positionText(endOf(all)), more: false }
  const pieces = all.filter((one) => one.run === run)
  return pageAfter(previous ? pieces : all, firstOf(pieces, tail, bytesMax), bytesMax)
}

/** Where what is still to be written begins. */
const endOf = (all: readonly LogPiece[]): Position => {
  const { run, piece, size } = all.at(-1) ?? { run: 1, piece: 1, size: 0 }
  return { run, piece, offset: size }
}

/** Where the wanted lines begin. */
function firstOf(
  pieces: readonly LogPiece[],
  tail: number | undefined,
  bytesMax: number,
): Position {
  const [oldest] = pieces
  const begin = { run: oldest?.run ?? 1, piece: oldest?.piece ?? 1, offset: 0 }
  if (tail === undefined) return begin
  if (tail === 0) return endOf(pieces)
  let [lines, bytes] = [0, 0]
  for (const { run, piece, path, size } of [...pieces].reverse()) {
    const from = Math.max(0, size - (bytesMax - bytes))
    const content = readBytes(path, from, size - from)
    for (let at = content.length - 1; at >= 0; at--) {
      // The newline that ends the last line begins no other.
      if (content[at] !== newline || (bytes === 0 && at === content.length - 1)) continue
      lines++
      if (lines >= tail) return { run, piece, offset: from + at + 1 }
    }
    bytes += content.length
    if (from > 0) return { run, piece, offset: from }
  }
  return begin
}

const newline = 10

/** From the position on, over the ends of pieces and runs. */
function pageAfter(all: readonly LogPiece[], from: Position, bytesMax: number): LogPage {
  const parts: Buffer[] = []
  let left = bytesMax
  let at = from
  for (const { run, piece, path, size } of all) {
    const before = run < from.run || (run === from.run && piece < from.piece)
    if (before) continue
    if (left <= 0) return page(parts, at, true)
    const offset = run === from.run && piece === from.piece ? Math.min(from.offset, size) : 0
    const content = readBytes(path, offset, Math.min(left, size - offset))
    parts.push(content)
    left -= content.length
    at = { run, piece, offset: offset + content.length }
    if (at.offset < size) return page(parts, at, true)
  }
  return page(parts, at, false)
}

function page(parts: readonly Buffer[], at: Position, more: boolean): LogPage {
  const bytes = Buffer.concat(parts)
  const whole = wholeLength(bytes)
  const cut = Math.min(bytes.length - whole, at.offset)
  const text = bytes.subarray(0, bytes.length - cut).toString("utf8")
  return { text, next: positionText({ ...at, offset: at.offset - cut }), more }
}

/** Without the beginning of a character whose rest is still to come. */
function wholeLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes.length
    if (byte < 0xc0) continue
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return back < wanted ? bytes.length - back : bytes.length
  }
  return bytes.length
}

const positionText = ({ run, piece, offset }: Position) => `${run}.${piece}.${offset}`

function readPosition(text: string): Position {
  const found = /^(\d{1,9})\.(\d{1,9})\.(\d{1,15})$/.exec(text)
  if (found === null) throw providerFault("SPT-PROV-037", { position: text.slice(0, 40) })
  return { run: Number(found[1]), piece: Number(found[2]), offset: Number(found[3]) }
}

function readBytes(path: string, from: number, length: number): Buffer {
  if (length <= 0) return Buffer.alloc(0)
  const bytes = Buffer.alloc(length)
  try {
    const file = openSync(path, "r")
    try {
      return bytes.subarray(0, readSync(file, bytes, 0, length, from))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (Object(error).code === "ENOENT") return Buffer.alloc(0) // Dropped just now.
    throw callFault("read", path, error)
  }
}
