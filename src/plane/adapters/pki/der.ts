// Just enough of DER to write certificates. It only writes: what others send is read by
// node:crypto.

export function tlv(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body])
}

function lengthOf(length: number): Uint8Array {
  if (length < 0x80) return Buffer.from([length])
  const bytes = bytesOf(length)
  return Buffer.from([0x80 | bytes.length, ...bytes])
}

function bytesOf(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return bytes
}

export const sequence = (...parts: readonly Uint8Array[]) => tlv(0x30, ...parts)
export const setOf = (...parts: readonly Uint8Array[]) => tlv(0x31, ...parts)
export const octets = (bytes: Uint8Array) => tlv(0x04, bytes)
export const utf8 = (text: string) => tlv(0x0c, Buffer.from(text))
export const yes = () => tlv(0x01, Buffer.from([0xff]))
export const bits = (bytes: Uint8Array, unused = 0) => tlv(0x03, Buffer.from([unused]), bytes)
/** [number] with parts of its own. */
export const tagged = (number: number, ...parts: readonly Uint8Array[]) =>
  tlv(0xa0 | number, ...parts)
/** [number] in place of a plain type. */
export const inPlace = (number: number, bytes: Uint8Array) => tlv(0x80 | number, bytes)

/** Of big-endian bytes, never negative. */
export function integer(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const short = bytes.subarray(start)
  const sign = (short[0] ?? 0) >= 0x80 ? [0] : []
  return tlv(0x02, Buffer.from(sign), short)
}

/** "2.5.4.3" */
export function oid(text: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number)
  const bytes = [first * 40 + second]
  for (const arc of rest) {
    const groups = [arc % 128]
    for (let more = Math.floor(arc / 128); more > 0; more = Math.floor(more / 128)) {
      groups.unshift(0x80 | (more % 128))
    }
    bytes.push(...groups)
  }
  return tlv(0x06, Buffer.from(bytes))
}

/** Two digits of the year before 2050, four after, as RFC 5280 wants it. */
export function time(ms: number): Uint8Array {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, "")
  const short = Number(digits.slice(0, 4)) < 2050
  return tlv(short ? 0x17 : 0x18, Buffer.from(short ? digits.slice(2) : digits))
}
