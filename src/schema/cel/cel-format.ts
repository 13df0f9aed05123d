// The format method of texts: "%s has %d".format([name, count]), with CEL's own clauses.

import type { CelCall } from "./cel-function.ts"
import { isOpaque } from "./cel-opaque.ts"
import { CelStop } from "./cel-run.ts"
import { durationText, timestampText } from "./cel-time.ts"
import { type CelValue, isList, isMap, itemOf, keysOf, memberOf, typeOf } from "./cel-value.ts"

export function formatText(text: string, list: readonly unknown[], call: CelCall): string {
  let next = 0
  const formatted = text.replace(/%(?:%|(?:\.(\d{1,3}))?([a-zA-Z]))/g, (clause, digits, letter) => {
    if (clause === "%%") return "%"
    if (next >= list.length) throw new CelStop(`index ${next} out of range`, call.at)
    const value = itemOf(list, next++)
    call.run.charge(1, call.at)
    return clauseText(
      String(letter),
      digits === undefined ? undefined : Number(digits),
      value,
      call,
    )
  })
  return formatted
}

function clauseText(
  letter: string,
  digits: number | undefined,
  value: CelValue,
  call: CelCall,
): string {
  const refuse = () =>
    new CelStop(`error during formatting: %${letter} can't format a ${typeOf(value)}`, call.at)
  const whole = wholeOf(value)
  switch (letter) {
    case "s":
      return shown(value, call)
    case "d":
      if (whole === undefined) throw refuse()
      return String(whole)
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0"
      if (whole === undefined) throw refuse()
      return whole.toString(2)
    case "o":
      if (whole === undefined) throw refuse()
      return whole.toString(8)
    case "x":
    case "X": {
      const hex =
        typeof value === "string"
          ? Buffer.from(value, "utf8").toString("hex")
          : isOpaque(value, "bytes")
            ? value.identity
            : whole?.toString(16)
      if (hex === undefined) throw refuse()
      return letter === "X" ? hex.toUpperCase() : hex
    }
    case "f":
    case "e": {
      const number = typeof value === "number" ? value : Number(whole ?? Number.NaN)
      if (typeof value !== "number" && whole === undefined) throw refuse()
      const precision = Math.min(digits ?? 6, 100)
      if (letter === "f") return number.toFixed(precision)
      return number.toExponential(precision).replace(/e([+-])(\d)$/, "e$10$2")
    }
    default:
      throw new CelStop(`could not parse formatting clause: unrecognized "${letter}"`, call.at)
  }
}

function wholeOf(value: CelValue): bigint | undefined {
  if (typeof value === "bigint") return value
  return isOpaque(value, "uint") ? (value.data as bigint) : undefined
}

function shown(value: CelValue, call: CelCall, depth = 0): string {
  if (depth > 32) throw new CelStop("values lie too deep to be formatted", call.at)
  call.run.charge(1, call.at)
  if (isOpaque(value)) {
    if (value.kind === "timestamp") return timestampText(value.data as bigint)
    if (value.kind === "duration") return durationText(value.data as bigint)
    return value.kind === "bytes"
      ? Buffer.from(value.data as Uint8Array).toString("utf8")
      : value.identity
  }
  if (isList(value)) {
    const items = value.map((_, index) => shown(itemOf(value, index), call, depth + 1))
    return `[${items.join(", ")}]`
  }
  if (!isMap(value)) return String(value)
  const entries = keysOf(value).map(
    (key) => `${String(key)}: ${shown(memberOf(value, key) ?? null, call, depth + 1)}`,
  )
  return `{${entries.sort().join(", ")}}`
}
