// Rows as one block of bytes, so that a batch crosses to the worker without being cloned.
// Keys and leases are ASCII (checked by the commit).

import type { Row } from "../engine.ts"

const fixedBytes = 8 * 3 + 4 + 2 + 2 + 4
const noLease = 0xffff

export function packedSize(rows: readonly Row[]): number {
  let size = 4
  for (const row of rows)
    size += fixedBytes + row.key.length + (row.lease?.length ?? 0) + row.value.length
  return size
}

/** The block must have at least the packed size. */
export function packRows(rows: readonly Row[], block: ArrayBufferLike): void {
  const bytes = Buffer.from(block)
  let at = bytes.writeUInt32LE(rows.length, 0)
  for (const row of rows) {
    at = bytes.writeDoubleLE(row.place, at)
    at = bytes.writeDoubleLE(row.createRevision, at)
    at = bytes.writeDoubleLE(row.previousRevision, at)
    at = bytes.writeUInt32LE(row.version, at)
    at = bytes.writeUInt16LE(row.key.length, at)
    at = bytes.writeUInt16LE(row.lease === undefined ? noLease : row.lease.length, at)
    at = bytes.writeUInt32LE(row.value.length, at)
    at += bytes.write(row.key, at, "latin1")
    if (row.lease !== undefined) at += bytes.write(row.lease, at, "latin1")
    bytes.set(row.value, at)
    at += row.value.length
  }
}

/** The rows' values are views on the block. */
export function* unpackRows(block: ArrayBufferLike): Generator<Row> {
  const bytes = Buffer.from(block)
  let at = 4
  for (let left = bytes.readUInt32LE(0); left > 0; left--) {
    const place = bytes.readDoubleLE(at)
    const createRevision = bytes.readDoubleLE(at + 8)
    const previousRevision = bytes.readDoubleLE(at + 16)
    const version = bytes.readUInt32LE(at + 24)
    const keyLength = bytes.readUInt16LE(at + 28)
    const leaseLength = bytes.readUInt16LE(at + 30)
    const valueLength = bytes.readUInt32LE(at + 32)
    at += fixedBytes
    const key = bytes.toString("latin1", at, at + keyLength)
    at += keyLength
    const lease =
      leaseLength === noLease ? undefined : bytes.toString("latin1", at, at + leaseLength)
    if (leaseLength !== noLease) at += leaseLength
    const value = bytes.subarray(at, at + valueLength)
    at += valueLength
    yield { place, key, createRevision, previousRevision, version, lease, value }
  }
}
