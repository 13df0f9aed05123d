// Writes the bytes of one message. Owner names are compressed against what was written before;
// names inside record data never are, so that data is the same bytes everywhere.

import { labelBytes, labelsOf } from "./name.ts"

export class WireWriter {
  #bytes = Buffer.allocUnsafe(256) // Only what was written is ever given out.
  #at = 0
  readonly #names = new Map<string, number>()

  get length(): number {
    return this.#at
  }

  #room(count: number): number {
    const at = this.#at
    this.#at += count
    if (this.#at > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#at, this.#bytes.length * 2))
      this.#bytes.copy(larger)
      this.#bytes = larger
    }
    return at
  }

  u8(value: number): this {
    const at = this.#room(1)
    this.#bytes.writeUInt8(value & 0xff, at)
    return this
  }

  u16(value: number): this {
    const at = this.#room(2)
    this.#bytes.writeUInt16BE(value & 0xffff, at)
    return this
  }

  u32(value: number): this {
    const at = this.#room(4)
    this.#bytes.writeUInt32BE(value >>> 0, at)
    return this
  }

  u48(value: number): this {
    return this.u16(Math.floor(value / 0x1_0000_0000)).u32(value % 0x1_0000_0000)
  }

  put(bytes: Uint8Array): this {
    const at = this.#room(bytes.length)
    this.#bytes.set(bytes, at)
    return this
  }

  setU16(at: number, value: number): this {
    this.#bytes.writeUInt16BE(value & 0xffff, at)
    return this
  }

  name(name: string, compress = true): this {
    const labels = labelsOf(name)
    let rest = name
    for (const label of labels) {
      const known = compress ? this.#names.get(rest) : undefined
      if (known !== undefined) return this.u16(0xc000 | known)
      if (this.#at <= 0x3fff) this.#names.set(rest, this.#at)
      const bytes = labelBytes(label)
      this.u8(bytes.length).put(bytes)
      rest = rest.slice(label.length + 1)
    }
    return this.u8(0)
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at)
  }
}
