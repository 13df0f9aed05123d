// What a plain YAML scalar means, as Kubernetes' YAML reader takes it: YAML 1.1 with its many words
// for true and false and its octal numbers, but without its times and numbers of base 60.

import type { Json } from "../../base/json.ts"
import { digitsMax, fromBigInt, integerOf } from "../../base/json-text.ts"

const words: ReadonlyMap<string, Json> = new Map<string, Json>([
  ...spellings(true, ["y", "yes", "true", "on"]),
  ...spellings(false, ["n", "no", "false", "off"]),
  ...spellings(null, ["null"]),
  ["", null],
  ["~", null],
])

/** `yes`, `Yes` and `YES`. */
function spellings(value: Json, names: readonly string[]): [string, Json][] {
  return names.flatMap((name) => {
    const capital = name.charAt(0).toUpperCase() + name.slice(1)
    return [name, capital, name.toUpperCase()].map((one): [string, Json] => [one, value])
  })
}

const numeric = /^[-+.0-9]/
const noNumber = /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/
const pointFirst = /^\.\d+(?:[eE][-+]?\d+)?$/
const whole = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9]\d*)$/
const decimal = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/

/** Undefined when it is a number that JSON can't hold. */
export function resolvePlain(text: string): Json | undefined {
  const word = words.get(text)
  if (word !== undefined) return word
  if (!numeric.test(text)) return text
  if (noNumber.test(text)) return undefined
  if (text.startsWith(".")) return pointFirst.test(text) ? Number(text) : text
  const plain = text.replaceAll("_", "")
  const [, sign, digits] = whole.exec(plain) ?? []
  const integer = digits === undefined ? undefined : integerIn(sign ?? "", digits)
  if (integer !== undefined) return integer
  if (!decimal.test(plain)) return text
  if (/^[-+]?\d+$/.test(plain)) return integerOf(plain.replace(/^\+/, "").replace(/^(-?)0+/, "$1"))
  const value = Number(plain)
  return Number.isFinite(value) ? value : text
}

/** A sign means that 63 bits are all there is. */
function integerIn(sign: string, digits: string): number | bigint | undefined {
  if (digits.length > digitsMax) return undefined
  const octal = /^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits
  const size = BigInt(octal)
  const value = sign === "-" ? -size : size
  const most = sign === "" ? 2n ** 64n - 1n : 2n ** 63n - 1n
  return value > most || value < -(2n ** 63n) ? undefined : fromBigInt(value)
}
