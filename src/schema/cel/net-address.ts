// IP addresses and ranges as Kubernetes' CEL libraries read them: no zones, no leading zeros, no
// IPv4 inside IPv6.

export interface IpAddress {
  readonly family: 4 | 6
  readonly bits: bigint
}

export interface IpRange {
  readonly address: IpAddress
  readonly prefix: number
}

export function parseIp(text: string): IpAddress | undefined {
  if (text.length > 45) return undefined
  return text.includes(":") ? parseIp6(text) : parseIp4(text)
}

function parseIp4(text: string): IpAddress | undefined {
  const parts = text.split(".")
  if (parts.length !== 4) return undefined
  let bits = 0n
  for (const part of parts) {
    if (!/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined
    bits = bits * 256n + BigInt(part)
  }
  return { family: 4, bits }
}

function parseIp6(text: string): IpAddress | undefined {
  const halves = text.split("::")
  if (halves.length > 2) return undefined
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")))
  const all = groups.flat()
  if (!all.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined
  const missing = 8 - all.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const [before = [], after = []] = groups
  const whole = [...before, ...Array.from({ length: missing }, () => "0"), ...after]
  return {
    family: 6,
    bits: whole.reduce((bits, group) => bits * 65536n + BigInt(`0x${group}`), 0n),
  }
}

export function ipText({ family, bits }: IpAddress): string {
  if (family === 4)
    return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 255n)).join(".")
  const groups = Array.from(
    { length: 8 },
    (_, index) => (bits >> BigInt((7 - index) * 16)) & 65535n,
  )
  const [start, length] = longestZeros(groups)
  const hex = (some: readonly bigint[]) => some.map((group) => group.toString(16)).join(":")
  if (length < 2) return hex(groups)
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`
}

function longestZeros(groups: readonly bigint[]): [number, number] {
  let best: [number, number] = [0, 0]
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (groups[start + length] === 0n) length++
    if (length > best[1]) best = [start, length]
  }
  return best
}

export const bitsOf = ({ family }: IpAddress): number => (family === 4 ? 32 : 128)

export function parseCidr(text: string): IpRange | undefined {
  const [before = "", after = "", more] = text.split("/", 3)
  const address = parseIp(before)
  if (address === undefined || more !== undefined) return undefined
  if (!/^(?:0|[1-9]\d{0,2})$/.test(after) || Number(after) > bitsOf(address)) return undefined
  return { address, prefix: Number(after) }
}

export function masked({ address, prefix }: IpRange): IpRange {
  const shift = BigInt(bitsOf(address) - prefix)
  return { address: { ...address, bits: (address.bits >> shift) << shift }, prefix }
}

export function holdsIp(range: IpRange, address: IpAddress): boolean {
  if (range.address.family !== address.family) return false
  const shift = BigInt(bitsOf(address) - range.prefix)
  return range.address.bits >> shift === address.bits >> shift
}

export const holdsRange = (outer: IpRange, inner: IpRange): boolean =>
  inner.prefix >= outer.prefix && holdsIp(outer, inner.address)

export function within(address: IpAddress, ...ranges: readonly string[]): boolean {
  return ranges.some((text) => {
    const range = parseCidr(text)
    return range !== undefined && holdsIp(range, address)
  })
}
