// Reads protobuf's wire form from bytes that came from outside: varints, lengths, tags. It never
// reads past its end, never copies, and refuses what no current encoder writes (groups).

import { fromBigInt } from "../../base/json-text.ts"
import { apiFault } from "../faults.ts"

export const wireVarint = 0
export const wireFixed64 = 1
export const wireBytes = 2
export const wireFixed32 = 5

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const fieldMax = 536_870_911

export class WireReader {
  readonly #bytes: Uint8Array
  #offset = 0
  /** Of the tag read last. */
  wire = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get done(): boolean {
    return this.#offset >= this.#bytes.byteLength
  }

  refuse(why: string): never {
    throw apiFault("SPT-API-060", { why, offset: this.#offset })
  }

  /** The next field's number; `wire` then says how it is written. */
  field(): number {
    const tag = this.#unsigned()
    if (tag >= 2n ** 32n) this.refuse("a field number too large")
    const key = Number(tag)
    this.wire = key & 7
    const number = key >>> 3
    if (number === 0 || number > fieldMax) this.refuse(`field number ${number}`)
    return number
  }

  expect(wire: number): void {
    if (this.wire !== wire) this.refuse(`wire type ${this.wire} instead of ${wire}`)
  }

  /** A signed 64-bit varint: a number, or a bigint where a number would lose digits. */
  int64(): number | bigint {
    const first = this.#bytes[this.#offset]
    if (first !== undefined && first < 0x80) {
      this.#offset++
      return first
    }
    return fromBigInt(BigInt.asIntN(64, this.#unsigned()))
  }

  /** As Go does it: the low 32 bits. */
  int32(): number {
    const value = this.int64()
    if (typeof value === "number" && value === (value | 0)) return value
    return Number(BigInt.asIntN(32, BigInt(value)))
  }

  bool(): boolean {
    return this.#unsigned() !== 0n
  }

  double(): number {
    const at = this.#advance(8)
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + at, 8).getFloat64(0, true)
  }

  bytes(): Uint8Array {
    const length = this.#unsigned()
    if (length > BigInt(this.#bytes.byteLength)) this.refuse("a length beyond the end")
    const at = this.#advance(Number(length))
    return this.#bytes.subarray(at, this.#offset)
  }

  text(): string {
    const bytes = this.bytes()
    try {
      return strict.decode(bytes)
    } catch {
      this.refuse("a string that is not UTF-8")
    }
  }

  /** Over a field that the table does not know. */
  skip(): void {
    if (this.wire === wireVarint) this.#unsigned()
    else if (this.wire === wireFixed64) this.#advance(8)
    else if (this.wire === wireBytes) this.bytes()
    else if (this.wire === wireFixed32) this.#advance(4)
    else this.refuse(`wire type ${this.wire}`)
  }

  #advance(length: number): number {
    const at = this.#offset
    if (at + length > this.#bytes.byteLength) this.refuse("the end in the middle of a value")
    this.#offset += length
    return at
  }

  #unsigned(): bigint {
    let low = 0
    let shift = 0
    // Four bytes fit a number; the long form is rare.
    for (; shift < 28; shift += 7) {
      const byte = this.#next()
      low |= (byte & 0x7f) << shift
      if (byte < 0x80) return BigInt(low)
    }
    let value = BigInt(low)
    for (; shift < 70; shift += 7) {
      const byte = this.#next()
      value |= BigInt(byte & 0x7f) << BigInt(shift)
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    return this.refuse("an integer longer than ten bytes")
  }

  #next(): number {
    const byte = this.#bytes[this.#offset]
    if (byte === undefined) this.refuse("the end in the middle of an integer")
    this.#offset++
    return byte
  }
}
