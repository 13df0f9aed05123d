// The log's frames: magic, length, checksum of the payload, checksum of these three, payload. A
// frame is believed only when its checksums hold. A bad frame at the very end that a power cut can
// explain (it ends too early, or has a sector that was never written) is cut off; any other bad
// frame means damage, and the log is refused.

import { crc32 } from "node:zlib"
import { storeFault } from "../../faults.ts"

const magic = 0x53505431
const headBytes = 16
const sectorBytes = 512
const maxPayloadBytes = 256 * 1024 * 1024

export function frameOf(payload: Uint8Array): Uint8Array {
  const frame = Buffer.alloc(headBytes + payload.length)
  frame.writeUInt32LE(magic, 0)
  frame.writeUInt32LE(payload.length, 4)
  frame.writeUInt32LE(crc32(payload), 8)
  frame.writeUInt32LE(crc32(frame.subarray(0, 12)), 12)
  frame.set(payload, headBytes)
  return frame
}

/** Hands over each payload; answers where the believed part of the log ends. */
export function readFrames(log: Buffer, each: (payload: Uint8Array) => void): number {
  let at = 0
  while (at < log.length) {
    const payload = payloadAt(log, at)
    if (payload === undefined) {
      if (isTorn(log, at)) return at
      throw storeFault("SPT-STORE-011", { cause: `the log is damaged at byte ${at}` })
    }
    each(payload)
    at += headBytes + payload.length
  }
  return at
}

function hasHead(log: Buffer, at: number): boolean {
  if (log.length - at < headBytes || log.readUInt32LE(at) !== magic) return false
  return crc32(log.subarray(at, at + 12)) === log.readUInt32LE(at + 12)
}

function payloadAt(log: Buffer, at: number): Uint8Array | undefined {
  if (!hasHead(log, at)) return undefined
  const length = log.readUInt32LE(at + 4)
  if (length > maxPayloadBytes || log.length - at - headBytes < length) return undefined
  const payload = log.subarray(at + headBytes, at + headBytes + length)
  return crc32(payload) === log.readUInt32LE(at + 8) ? payload : undefined
}

function isTorn(log: Buffer, at: number): boolean {
  // Only one frame is ever written before it is synced: a good frame further on proves damage.
  for (let later = at + 1; later <= log.length - headBytes; later++) {
    if (log.readUInt32LE(later) === magic && payloadAt(log, later) !== undefined) return false
  }
  if (log.length - at < headBytes) return true
  if (hasHead(log, at) && log.length - at - headBytes < log.readUInt32LE(at + 4)) return true
  for (let from = at; from < log.length; ) {
    const to = Math.min(log.length, (Math.floor(from / sectorBytes) + 1) * sectorBytes)
    if (log.subarray(from, to).every((byte) => byte === 0)) return true
    from = to
  }
  return false
}
