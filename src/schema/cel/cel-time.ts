// Instants and spans as CEL writes them, in whole nanoseconds. Instants lie between the years 1 and
// 9999, as protobuf has it.

const instant =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2}))?$/
const second = 1_000_000_000n

/** "2024-05-01T10:00:00Z", also a plain date; undefined when it is neither. */
export function parseTimestamp(text: string): bigint | undefined {
  const parts = instant.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hour = "00", minute = "00", whole = "00", fraction = "", zone = "Z"] =
    parts
  const normal = `${year}-${month}-${day}T${hour}:${minute}:${whole}Z`
  const millis = Date.parse(normal)
  if (Number.isNaN(millis) || new Date(millis).toISOString().slice(0, 10) !== normal.slice(0, 10)) {
    return undefined
  }
  const offset = /^[zZ]$/.test(zone)
    ? 0
    : (zone.startsWith("-") ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)))
  return BigInt(millis - offset * 60_000) * 1_000_000n + BigInt(fraction.padEnd(9, "0"))
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
  d: 86_400n * second,
  w: 604_800n * second,
}

/** "1h30m", "-1.5s", "0". */
export function parseDuration(text: string): bigint | undefined {
  const match = /^([+-]?)((?:\d{1,15}(?:\.\d{0,9})?(?:ns|us|µs|μs|ms|s|m|h|d|w))+|0)$/.exec(text)
  if (match === null) return undefined
  let nanos = 0n
  for (const [, whole = "0", fraction = "", unit = "ns"] of (match[2] ?? "").matchAll(
    /(\d+)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h|d|w)/g,
  )) {
    const factor = units[unit] ?? 1n
    nanos += BigInt(whole) * factor
    if (fraction !== "") nanos += (BigInt(fraction) * factor) / 10n ** BigInt(fraction.length)
  }
  return match[1] === "-" ? -nanos : nanos
}

export function timestampText(nanos: bigint): string {
  const rest = ((nanos % second) + second) % second
  const whole = new Date(Number((nanos - rest) / 1_000_000n)).toISOString().slice(0, 19)
  const fraction = rest === 0n ? "" : `.${String(rest).padStart(9, "0").replace(/0+$/, "")}`
  return `${whole}${fraction}Z`
}

export function durationText(nanos: bigint): string {
  const sign = nanos < 0n ? "-" : ""
  const size = nanos < 0n ? -nanos : nanos
  const fraction = String(size % second)
    .padStart(9, "0")
    .replace(/0+$/, "")
  return `${sign}${size / second}${fraction === "" ? "" : `.${fraction}`}s`
}

/** The parts of an instant in a time zone ("UTC", "+02:00"); undefined for an unknown zone. */
export function instantParts(nanos: bigint, zone: string): Date | undefined {
  const millis = Number(nanos / 1_000_000n)
  const fixed = /^([+-]?)(\d{2}):(\d{2})$/.exec(zone)
  if (zone === "UTC" || zone === "") return new Date(millis)
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3])
    return new Date(millis + (fixed[1] === "-" ? -minutes : minutes) * 60_000)
  }
  try {
    const shown = new Intl.DateTimeFormat("sv-SE", {
      timeZone: zone,
      dateStyle: "short",
      timeStyle: "medium",
    }).format(millis)
    return new Date(`${shown.replace(" ", "T")}Z`)
  } catch {
    return undefined
  }
}
