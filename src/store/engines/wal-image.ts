// A store.db with its write-ahead log, merged in memory: for reading a directory that was copied or
// crashed without its -shm file, where SQLite itself would have to write. Only frames whose
// checksums hold, up to the last commit, are taken; that is SQLite's own rule.

import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs"
import { storeFault } from "../faults.ts"

const headerBytes = 32
const frameHeadBytes = 24
const maxImageBytes = 1024 * 1024 * 1024

interface Sums {
  readonly first: number
  readonly second: number
}

/** Small enough to be held in memory beside everything else. */
const imageableBytes = 256 * 1024 * 1024

export function isImageable(path: string): boolean {
  return statSync(path).size + statSync(`${path}-wal`).size <= imageableBytes
}

/** Changes whenever the log begins anew; "" when there is none. */
export function logHeader(path: string): string {
  let file: number
  try {
    file = openSync(`${path}-wal`, "r")
  } catch {
    return "" // Gone: whoever compares sees that it changed.
  }
  try {
    const header = Buffer.alloc(headerBytes)
    return header.subarray(0, readSync(file, header, 0, headerBytes, 0)).toString("hex")
  } finally {
    closeSync(file)
  }
}

export function readWalImage(path: string): Uint8Array {
  const sizes = statSync(path).size + statSync(`${path}-wal`).size
  if (sizes > maxImageBytes) {
    const cause = "it needs recovery and is too large to be read without it; start the plane once"
    throw storeFault("SPT-STORE-011", { cause })
  }
  const image = merge(readFileSync(path), readFileSync(`${path}-wal`))
  // Both bytes say "write-ahead log"; an image in memory can only be an ordinary database.
  image[18] = 1
  image[19] = 1
  return image
}

export function merge(database: Buffer, log: Buffer): Uint8Array {
  const pageBytes = log.length < headerBytes ? 0 : log.readUInt32BE(8)
  const magic = log.length < headerBytes ? 0 : log.readUInt32BE(0)
  if ((magic & ~1) !== 0x377f0682 || pageBytes < 512) return database
  const bigEndian = (magic & 1) === 1
  let sums = add({ first: 0, second: 0 }, log.subarray(0, 24), bigEndian)
  if (sums.first !== log.readUInt32BE(24) || sums.second !== log.readUInt32BE(28)) return database
  const committed = new Map<number, Buffer>()
  let open = new Map<number, Buffer>()
  let pages = Math.floor(database.length / pageBytes)
  for (let at = headerBytes; at + frameHeadBytes + pageBytes <= log.length; ) {
    const head = log.subarray(at, at + frameHeadBytes)
    const page = log.subarray(at + frameHeadBytes, at + frameHeadBytes + pageBytes)
    sums = add(add(sums, head.subarray(0, 8), bigEndian), page, bigEndian)
    const salted = head.subarray(8, 16).equals(log.subarray(16, 24))
    if (!salted || sums.first !== head.readUInt32BE(16) || sums.second !== head.readUInt32BE(20))
      break
    open.set(head.readUInt32BE(0), page)
    const size = head.readUInt32BE(4)
    if (size > 0) {
      for (const [number, content] of open) committed.set(number, content)
      open = new Map()
      pages = size
    }
    at += frameHeadBytes + pageBytes
  }
  const image = Buffer.alloc(pages * pageBytes)
  database.copy(image, 0, 0, image.length)
  for (const [number, content] of committed) {
    if (number <= pages) content.copy(image, (number - 1) * pageBytes)
  }
  return image
}

function add(sums: Sums, bytes: Buffer, bigEndian: boolean): Sums {
  let { first, second } = sums
  for (let at = 0; at < bytes.length; at += 8) {
    const one = bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)
    const two = bigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)
    first = (first + one + second) >>> 0
    second = (second + two + first) >>> 0
  }
  return { first, second }
}
