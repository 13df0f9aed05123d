// Addresses, prefixes and ranges of IPv4 and IPv6 as text and as numbers. Pure. What is not plainly
// one of these is undefined: nothing that a user wrote reaches nft without having been understood.

export type AddressFamily = "ip" | "ip6"

/** An inclusive range of addresses. */
export interface AddressRange {
  readonly family: AddressFamily
  readonly from: bigint
  readonly to: bigint
}

const bitsOf = (family: AddressFamily): number => (family === "ip" ? 32 : 128)

/** `10.0.0.1`, `10.0.0.0/8`, `10.0.0.1-10.0.0.9` and the same in IPv6. */
export function parseAddresses(text: string): AddressRange | undefined {
  const [first = "", last, ...more] = text.split("-")
  if (more.length > 0) return undefined
  if (last !== undefined) {
    const [from, to] = [parseAddress(first), parseAddress(last)]
    if (from === undefined || to === undefined || from.family !== to.family) return undefined
    return from.value > to.value
      ? undefined
      : { family: from.family, from: from.value, to: to.value }
  }
  const [base = "", length, ...rest] = text.split("/")
  if (rest.length > 0) return undefined
  const address = parseAddress(base)
  if (address === undefined) return undefined
  const bits = bitsOf(address.family)
  const prefix = length === undefined ? bits : parsePrefix(length, bits)
  if (prefix === undefined) return undefined
  const size = 1n << BigInt(bits - prefix)
  const from = address.value - (address.value % size)
  return { family: address.family, from, to: from + size - 1n }
}

/** The length of `a.b.c.d/LENGTH`; undefined for anything but a prefix. */
export function prefixOf(text: string): { base: string; length: number } | undefined {
  const [base, length, ...rest] = text.split("/")
  if (base === undefined || length === undefined || rest.length > 0) return undefined
  return { base, length: Number(length) }
}

function parsePrefix(text: string, bits: number): number | undefined {
  if (!/^\d{1,3}$/.test(text)) return undefined
  const value = Number(text)
  return value <= bits ? value : undefined
}

function parseAddress(text: string): { family: AddressFamily; value: bigint } | undefined {
  const four = parseFour(text)
  if (four !== undefined) return { family: "ip", value: four }
  const six = parseSix(text)
  return six === undefined ? undefined : { family: "ip6", value: six }
}

function parseFour(text: string): bigint | undefined {
  const parts = text.split(".")
  if (parts.length !== 4) return undefined
  let value = 0n
  for (const part of parts) {
    // A leading zero means octal to some programs and decimal to others.
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined
    value = value * 256n + BigInt(part)
  }
  return value
}

function parseSix(given: string): bigint | undefined {
  const text = withoutDots(given)
  const halves = text.split("::")
  if (halves.length > 2 || !text.includes(":")) return undefined
  const groups = (half: string | undefined) => (half ? half.split(":") : [])
  const [head, tail] = [groups(halves[0]), groups(halves[1])]
  const missing = 8 - head.length - tail.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  let value = 0n
  for (const group of [...head, ...Array<string>(missing).fill("0"), ...tail]) {
    if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined
    value = value * 65_536n + BigInt(`0x${group}`)
  }
  return value
}

/** `::ffff:10.0.0.1`, as nft prints some addresses: the last four bytes as two groups. */
function withoutDots(text: string): string {
  const colon = text.lastIndexOf(":")
  const four = colon < 0 ? undefined : parseFour(text.slice(colon + 1))
  if (four === undefined) return text
  return `${text.slice(0, colon + 1)}${(four >> 16n).toString(16)}:${(four & 65_535n).toString(16)}`
}

/** An inclusive range of ports from `22` or `80-90`. */
export function parsePorts(given: string | number): readonly [number, number] | undefined {
  const parts = String(given).split("-")
  const numbers = parts.map((part) => (/^[1-9]\d{0,4}$/.test(part) ? Number(part) : Number.NaN))
  const [from = Number.NaN, to = from] = numbers
  const fits = parts.length <= 2 && from <= to && to <= 65_535
  return fits ? [from, to] : undefined
}

export const covers = (outer: AddressRange, inner: AddressRange): boolean =>
  outer.family === inner.family && outer.from <= inner.from && inner.to <= outer.to

export const overlaps = (left: AddressRange, right: AddressRange): boolean =>
  left.family === right.family && left.from <= right.to && right.from <= left.to

/** The one text that nft would print for these addresses or ports; anything else stays as it is. */
export function canonicalText(text: string): string {
  const ports = parsePorts(text)
  if (ports !== undefined) return ports[0] === ports[1] ? String(ports[0]) : ports.join("-")
  const range = parseAddresses(text)
  if (range === undefined) return text
  const { family, from, to } = range
  const size = to - from + 1n
  if (size === 1n) return addressText(family, from)
  const aligned = (size & (size - 1n)) === 0n && from % size === 0n
  if (!aligned) return `${addressText(family, from)}-${addressText(family, to)}`
  return `${addressText(family, from)}/${bitsOf(family) - size.toString(2).length + 1}`
}

function addressText(family: AddressFamily, value: bigint): string {
  if (family === "ip") return [24n, 16n, 8n, 0n].map((bits) => (value >> bits) & 255n).join(".")
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((value >> BigInt(112 - index * 16)) & 65_535n).toString(16),
  )
  // The longest run of zeros, the first of several, is left out.
  const runs = [...groups.join(":").matchAll(/(^|:)(?:0(?::|$)){2,}/g)]
  const [longest] = runs.sort((left, right) => right[0].length - left[0].length)
  const whole = groups.join(":")
  if (longest === undefined) return whole
  return `${whole.slice(0, longest.index)}::${whole.slice(longest.index + longest[0].length)}`
}
