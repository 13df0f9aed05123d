// JSON to text and back with every integer of 64 bits kept: up to 2^53 it is a number, beyond that
// a bigint. Text that holds no long run of digits takes the built-in way at its full speed.

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

/** Fewer digits than this fit a double. Written out, the search leaps sixteen signs at a time. */
const longRun = /\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d/

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

/** More than any number has that something keeps. */
export const digitsMax = 400

/** The value of decimal digits; undefined when neither 64 bits nor a number keep them. */
export function integerOf(digits: string): number | bigint | undefined {
  // Reading them takes time with the square of their count.
  if (digits.length > digitsMax) return undefined
  const plain = Number(digits)
  if (Number.isSafeInteger(plain)) return plain
  const value = BigInt(digits)
  if (value >= int64Min && value <= uint64Max) return value
  return String(plain) === digits ? plain : undefined
}

/** The form of a whole number: see above. */
export function fromBigInt(value: bigint): number | bigint {
  const plain = Number(value)
  return Number.isSafeInteger(plain) ? plain : value
}
