// The string formats that are enforced. A format not listed here is a note to the reader only, as
// in Kubernetes.

const date = /^\d{4}-\d{2}-\d{2}$/
const time = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?([zZ]|[+-]([01]\d|2[0-3]):[0-5]\d)$/
const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const duration = /^[+-]?(?:0|(?:\d{1,15}(?:\.\d{0,9})?(?:ns|us|µs|μs|ms|s|m|h|d|w))+)$/
const hostLabel = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const byteRange = /^(?:0|[1-9]\d{0,2})$/
const daysOf = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isDate(value: string): boolean {
  if (!date.test(value)) return false
  const year = Number(value.slice(0, 4))
  const month = Number(value.slice(5, 7))
  const day = Number(value.slice(8))
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = month === 2 && leap ? 29 : (daysOf[month - 1] ?? 0)
  return day >= 1 && day <= days
}

function isDateTime(value: string): boolean {
  const separator = value.charAt(10)
  if (separator !== "T" && separator !== "t") return false
  return isDate(value.slice(0, 10)) && time.test(value.slice(11))
}

function isIpv4(value: string): boolean {
  const parts = value.split(".", 5)
  return parts.length === 4 && parts.every((part) => byteRange.test(part) && Number(part) <= 255)
}

function isIpv6(value: string): boolean {
  if (value.length > 45) return false
  const halves = value.split("::", 3)
  if (halves.length > 2) return false
  let groups = 0
  for (const [side, half] of halves.entries()) {
    const parts = half === "" ? [] : half.split(":")
    for (const [index, part] of parts.entries()) {
      const last = side === halves.length - 1 && index === parts.length - 1
      if (last && part.includes(".") && isIpv4(part)) groups += 2
      else if (/^[0-9a-f]{1,4}$/i.test(part)) groups++
      else return false
    }
  }
  return halves.length === 2 ? groups < 8 : groups === 8
}

function isCidr(value: string): boolean {
  const slash = value.indexOf("/")
  const bits = value.slice(slash + 1)
  if (slash < 0 || !byteRange.test(bits)) return false
  const address = value.slice(0, slash)
  return isIpv4(address) ? Number(bits) <= 32 : isIpv6(address) && Number(bits) <= 128
}

function isHostname(value: string): boolean {
  const name = value.endsWith(".") ? value.slice(0, -1) : value
  return name.length <= 253 && name.split(".").every((label) => hostLabel.test(label))
}

function isEmail(value: string): boolean {
  const split = value.lastIndexOf("@")
  const local = value.slice(0, split)
  if (split < 1 || local.length > 64 || /[\s@<>(),;:\\"[\]]/.test(local)) return false
  return isHostname(value.slice(split + 1))
}

const isUri = (value: string) => value.startsWith("/") || URL.canParse(value)

export const stringFormats: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ["date", isDate],
  ["date-time", isDateTime],
  ["datetime", isDateTime],
  ["uuid", (value: string) => uuid.test(value)],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["cidr", isCidr],
  ["byte", (value: string) => base64.test(value)],
  ["duration", (value: string) => duration.test(value)],
  ["uri", isUri],
  ["hostname", isHostname],
  ["email", isEmail],
])

/** The largest values of the integer formats; int64 is bounded by what a JSON number can hold. */
export interface IntegerRange {
  readonly min: number | bigint
  readonly max: number | bigint
}

export const integerFormats: ReadonlyMap<string, IntegerRange> = new Map<string, IntegerRange>([
  ["int32", { min: -2147483648, max: 2147483647 }],
  ["int64", { min: -(2n ** 63n), max: 2n ** 63n - 1n }],
])
