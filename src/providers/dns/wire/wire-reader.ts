// Reads the bytes of one message. Nothing is trusted: every step is checked against the end, and
// compression pointers go only backwards, so that no input makes it loop or read elsewhere.

import { dnsFault } from "../faults.ts"
import { labelText, nameBytesMax, nameLength } from "./name.ts"

export const unreadable = (cause: string) => dnsFault("SPT-DNS-001", { cause })

/** A name of 255 bytes has no more labels than this, so honest pointers lead no further. */
const jumpsMax = 128

const plainLabel = /^[a-z0-9_*/-]+$/

export class WireReader {
  readonly bytes: Buffer
  at: number
  readonly end: number
  /** Names that were read in this message, by where they begin: most owners are pointers. */
  readonly #names: Map<number, string>

  constructor(bytes: Uint8Array, at = 0, end = bytes.length, names = new Map<number, string>()) {
    this.bytes = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.at = at
    this.end = end
    this.#names = names
  }

  get left(): number {
    return this.end - this.at
  }

  #need(count: number): void {
    if (this.at + count > this.end) throw unreadable("it ends in the middle")
  }

  u8(): number {
    this.#need(1)
    return this.bytes.readUInt8(this.at++)
  }

  u16(): number {
    this.#need(2)
    const value = this.bytes.readUInt16BE(this.at)
    this.at += 2
    return value
  }

  u32(): number {
    this.#need(4)
    const value = this.bytes.readUInt32BE(this.at)
    this.at += 4
    return value
  }

  /** 48 bits, as TSIG's time. */
  u48(): number {
    return this.u16() * 0x1_0000_0000 + this.u32()
  }

  take(count: number): Buffer {
    this.#need(count)
    const start = this.at
    this.at += count
    return this.bytes.subarray(start, this.at)
  }

  /** A part of this message, with its own end; pointers may leave it, backwards. */
  part(length: number): WireReader {
    this.#need(length)
    const start = this.at
    this.at += length
    return new WireReader(this.bytes, start, this.at, this.#names)
  }

  /** A name in its one form. */
  name(): string {
    const start = this.at
    const [text, next] = this.#nameAt(start, this.end, 0)
    this.at = next
    return text
  }

  /** A pointer must lead to before the name it is in, which begins earlier with every jump. */
  #nameAt(start: number, end: number, jumps: number): [string, number] {
    const { bytes } = this
    const starts: number[] = []
    const labels: string[] = []
    let at = start
    let tail = ""
    let length = 1
    for (;;) {
      if (at >= end) throw unreadable("a name ends in the middle")
      const size = bytes[at] ?? 0
      if (size === 0) {
        at++
        break
      }
      if (size >= 0xc0) {
        if (at + 1 >= end) throw unreadable("a name ends in the middle")
        const target = ((size & 0x3f) << 8) | (bytes[at + 1] ?? 0)
        const backwards = target < start && target >= 12 && jumps < jumpsMax
        if (!backwards) throw unreadable("a name points forwards or nowhere")
        tail = this.#names.get(target) ?? this.#nameAt(target, start, jumps + 1)[0]
        at += 2
        break
      }
      if (size > 63) throw unreadable("a label has an unknown form")
      if (at + 1 + size > end) throw unreadable("a name ends in the middle")
      length += size + 1
      if (length > nameBytesMax) throw unreadable("a name is longer than 255 bytes")
      starts.push(at)
      const raw = bytes.toString("latin1", at + 1, at + 1 + size).toLowerCase()
      labels.push(plainLabel.test(raw) ? raw : labelText(bytes.subarray(at + 1, at + 1 + size)))
      at += size + 1
    }
    return [this.#remember(labels, starts, tail), at]
  }

  #remember(labels: readonly string[], starts: readonly number[], tail: string): string {
    let text = tail === "." ? "" : tail
    for (let index = labels.length - 1; index >= 0; index--) {
      text = `${labels[index]}.${text}`
      const start = starts[index]
      if (start !== undefined && start <= 0x3fff) this.#names.set(start, text)
    }
    if (text === "") return "."
    if (nameLength(text) > nameBytesMax) throw unreadable("a name is longer than 255 bytes")
    return text
  }
}
