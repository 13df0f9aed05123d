// JSON to text and back with every integer of 64 bits kept. An integer is a number when that number
// prints the same digits again, and a bigint otherwise: one value has one form, so that equality
// stays plain. Text that holds no long run of digits takes the built-in way at its full speed.

import type { Json } from "./json.ts"

/** The text of a value, as JSON.stringify writes it, but a bigint is a number too. */
export function jsonText(value: unknown, space?: number): string {
  try {
    return JSON.stringify(value, undefined, space)
  } catch (error) {
    // The built-in way says a bigint can't be written; anything else fails the second time too.
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, wide, space)
  }
}

/** In every Node we support, but not yet in the types of the language. */
const json = JSON as typeof JSON & { rawJSON(text: string): unknown }

const wide = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? json.rawJSON(String(value)) : value

/** A number that sixteen digits or more may be part of: below that, a double holds them all. */
const longRun = /[:,[\s-]\d{16}|^\d{16}/

/** For text of our own making: what outside sends goes through a strict reader. */
export function parseJson(text: string): Json {
  return longRun.test(text) ? JSON.parse(text, exact) : JSON.parse(text)
}

const integer = /^-?\d{16,}$/

function exact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  if (typeof value !== "number" || source === undefined || !integer.test(source)) return value
  return integerOf(source) ?? value
}

const int64Min = -(2n ** 63n)
const uint64Max = 2n ** 64n - 1n

/** The value of decimal digits; undefined when neither a number nor 64 bits hold it exactly. */
export function integerOf(digits: string): number | bigint | undefined {
  const plain = Number(digits)
  if (Number.isSafeInteger(plain) || String(plain) === digits) return plain
  const value = BigInt(digits)
  if (value >= int64Min && value <= uint64Max) return value
  return BigInt(plain) === value ? plain : undefined
}

/** A whole number of any form as a bigint, for arithmetic and comparison. */
export function toBigInt(value: number | bigint): bigint {
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return BigInt(value)
  const text = String(value)
  return /^-?\d+$/.test(text) ? BigInt(text) : BigInt(value)
}

/** The one form of a whole number: see above. */
export function fromBigInt(value: bigint): number | bigint {
  return integerOf(String(value)) ?? Number(value)
}
