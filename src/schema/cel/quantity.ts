// Kubernetes' quantities ("100m", "1.5Gi", "1e3") as exact fractions, as far as CEL compares and
// adds them.

export interface Quantity {
  /** The amount in billionths, exactly. */
  readonly nanos: bigint
}

const unit = 1_000_000_000n
const decimal: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}
const binary: Readonly<Record<string, bigint>> = {
  Ki: 2n ** 10n,
  Mi: 2n ** 20n,
  Gi: 2n ** 30n,
  Ti: 2n ** 40n,
  Pi: 2n ** 50n,
  Ei: 2n ** 60n,
}

const form = /^([+-]?)(\d{0,40})(?:\.(\d{0,40}))?((?:[KMGTPE]i)|[numkMGTPE]?|[eE][+-]?\d{1,3})$/

/** Undefined when the text is no quantity. */
export function parseQuantity(text: string): Quantity | undefined {
  const match = form.exec(text)
  if (match === null) return undefined
  const [, sign, whole = "", fraction = "", suffix = ""] = match
  if (whole === "" && fraction === "") return undefined
  const digits = BigInt(`${whole}${fraction}`)
  const scale = 10n ** BigInt(fraction.length)
  const factor = binary[suffix]
  const power = factor === undefined ? exponent(suffix) : 0
  const numerator = digits * unit * (factor ?? 1n) * (power > 0 ? 10n ** BigInt(power) : 1n)
  const denominator = scale * (power < 0 ? 10n ** BigInt(-power) : 1n)
  // Smaller parts than a billionth are rounded up, as Kubernetes does.
  const nanos = (numerator + denominator - 1n) / denominator
  return { nanos: sign === "-" ? -nanos : nanos }
}

function exponent(suffix: string): number {
  const known = decimal[suffix]
  return known ?? Math.max(-100, Math.min(100, Number(suffix.slice(1))))
}

export const isWhole = ({ nanos }: Quantity): boolean => nanos % unit === 0n
export const wholePart = ({ nanos }: Quantity): bigint => nanos / unit
export const approximate = ({ nanos }: Quantity): number =>
  Number(nanos / unit) + Number(nanos % unit) / Number(unit)
export const ofWhole = (value: bigint): Quantity => ({ nanos: value * unit })
