// Writes protobuf's wire form: fields one after the other, messages within messages. It knows no
// schema; the caller gives the numbers and leaves out what is not set.

const utf8 = new TextEncoder()

export class WireWriter {
  #bytes = new Uint8Array(256)
  #length = 0

  string(field: number, text: string): this {
    return this.message(field, () => {
      // A code unit of UTF-16 takes at most three bytes.
      this.#reserve(text.length * 3)
      this.#length += utf8.encodeInto(text, this.#bytes.subarray(this.#length)).written
    })
  }

  bytes(field: number, bytes: Uint8Array): this {
    this.#varint(field * 8 + 2)
    this.#varint(bytes.byteLength)
    this.#reserve(bytes.byteLength)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.byteLength
    return this
  }

  /** Written in place behind its length, which is known only afterwards. */
  message(field: number, write: (message: WireWriter) => void): this {
    this.#varint(field * 8 + 2)
    const at = this.#length
    this.#reserve(1)
    this.#length++
    write(this)
    const size = this.#length - at - 1
    if (size < 0x80) {
      this.#bytes[at] = size
      return this
    }
    const more = Math.ceil((32 - Math.clz32(size)) / 7) - 1
    this.#reserve(more)
    this.#bytes.copyWithin(at + 1 + more, at + 1, this.#length)
    const end = this.#length + more
    this.#length = at
    this.#varint(size)
    this.#length = end
    return this
  }

  /** A signed integer of up to 64 bits. */
  int(field: number, value: number | bigint): this {
    this.#varint(field * 8)
    this.#varint(value)
    return this
  }

  bool(field: number, value: boolean): this {
    return this.int(field, value ? 1 : 0)
  }

  double(field: number, value: number): this {
    this.#varint(field * 8 + 1)
    this.#reserve(8)
    new DataView(this.#bytes.buffer, this.#length, 8).setFloat64(0, value, true)
    this.#length += 8
    return this
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  #varint(value: number | bigint): void {
    this.#reserve(10)
    if (typeof value === "number" && value >= 0 && value <= 0x7fff_ffff) {
      let rest = value
      for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#length++] = (rest & 0x7f) | 0x80
      this.#bytes[this.#length++] = rest
      return
    }
    let rest = BigInt.asUintN(64, BigInt(value))
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80
    this.#bytes[this.#length++] = Number(rest)
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.byteLength) return
    const grown = new Uint8Array(Math.max(this.#bytes.byteLength * 2, this.#length + more))
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}
