// IP addresses as text and bytes. The text of an IPv6 address is that of RFC 5952, so that one
// address has one text.

export function parseIp4(text: string): Buffer | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (match === null) return undefined
  const bytes = match.slice(1).map(Number)
  const canonical = bytes.every((byte) => byte <= 255) && bytes.join(".") === text
  return canonical ? Buffer.from(bytes) : undefined
}

export function parseIp6(text: string): Buffer | undefined {
  if (!/^[0-9a-f:.]{2,45}$/i.test(text)) return undefined
  const halves = text.split("::")
  if (halves.length > 2) return undefined
  const head = groupsOf(halves[0] ?? "", halves.length === 1)
  const tail = halves.length === 2 ? groupsOf(halves[1] ?? "", true) : []
  if (head === undefined || tail === undefined) return undefined
  const missing = 8 - head.length - tail.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const bytes = Buffer.alloc(16)
  const groups = [...head, ...new Array<number>(missing).fill(0), ...tail]
  for (const [index, group] of groups.entries()) bytes.writeUInt16BE(group, index * 2)
  return bytes
}

/** The last group may be an IPv4 address. */
function groupsOf(text: string, last: boolean): number[] | undefined {
  if (text === "") return []
  const groups: number[] = []
  const parts = text.split(":")
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16))
    else {
      const ip4 = last && index === parts.length - 1 ? parseIp4(part) : undefined
      if (ip4 === undefined) return undefined
      groups.push(ip4.readUInt16BE(0), ip4.readUInt16BE(2))
    }
  }
  return groups.length > 8 ? undefined : groups
}

export function ip6Text(bytes: Buffer): string {
  const groups = [0, 2, 4, 6, 8, 10, 12, 14].map((at) => bytes.readUInt16BE(at))
  const { start, length } = longestZeros(groups)
  const text = (some: readonly number[]) => some.map((group) => group.toString(16)).join(":")
  if (length < 2) return text(groups)
  return `${text(groups.slice(0, start))}::${text(groups.slice(start + length))}`
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 }
  let start = 0
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start }
  }
  return best
}
