// Messages whose JSON form is not an object of their fields: times, quantities, values that may be
// of two types, and JSON within protobuf.

import type { Json } from "../../base/json.ts"
import { apiFault } from "../faults.ts"
import { readJson } from "../read-json.ts"
import { WireReader, wireBytes, wireVarint } from "./wire-reader.ts"

/** Decodes a message below, within the same limits. */
export type DecodeBelow = (type: string, bytes: Uint8Array) => Json

const forms: Readonly<Record<string, (bytes: Uint8Array, below: DecodeBelow) => Json>> = {
  Time: (bytes) => readTime(bytes, false),
  MicroTime: (bytes) => readTime(bytes, true),
  Duration: (bytes) => durationText(BigInt(fieldsOf(bytes).number(1))),
  Quantity: (bytes) => readQuantity(fieldsOf(bytes).text(1)),
  IntOrString: readIntOrString,
  Raw: readRaw,
  SchemaOrArray: (bytes, below) => {
    const fields = fieldsOf(bytes)
    const many = fields.all(2)
    if (many.length > 0) return many.map((one) => below(schemaMessage, one))
    return schemaOf(fields, below) ?? null
  },
  SchemaOrBool: (bytes, below) => {
    const fields = fieldsOf(bytes)
    return schemaOf(fields, below, 2) ?? Number(fields.number(1)) !== 0
  },
  SchemaOrStrings: (bytes, below) => {
    const fields = fieldsOf(bytes)
    const many = fields.all(2)
    if (many.length > 0) return many.map((one) => utf8(one))
    return schemaOf(fields, below) ?? null
  },
}

const schemaMessage = "apiextensions.v1.JSONSchemaProps"

export const isSpecial = (type: string): boolean => Object.hasOwn(forms, type)

export function readSpecial(type: string, bytes: Uint8Array, below: DecodeBelow): Json {
  const form = forms[type]
  if (form === undefined) throw new Error(`no special form ${type}`)
  return form(bytes, below)
}

interface Fields {
  number(field: number): number | bigint
  text(field: number): string
  all(field: number): readonly Uint8Array[]
}

const chunksMax = 10_000

/** The few fields of a small message, by number. */
function fieldsOf(bytes: Uint8Array): Fields {
  const numbers = new Map<number, number | bigint>()
  const chunks = new Map<number, Uint8Array[]>()
  const reader = new WireReader(bytes)
  while (!reader.done) {
    const field = reader.field()
    if (reader.wire === wireVarint) numbers.set(field, reader.int64())
    else if (reader.wire === wireBytes) {
      const list = chunks.get(field) ?? []
      chunks.set(field, list)
      if (list.length >= chunksMax) reader.refuse(`more than ${chunksMax} items`)
      list.push(reader.bytes())
    } else reader.skip()
  }
  const all = (field: number) => chunks.get(field) ?? []
  return {
    number: (field) => numbers.get(field) ?? 0,
    text: (field) => utf8(all(field).at(-1) ?? new Uint8Array()),
    all,
  }
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

function utf8(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    throw apiFault("SPT-API-060", { why: "a string that is not UTF-8", offset: 0 })
  }
}

function schemaOf(fields: Fields, below: DecodeBelow, field = 1): Json | undefined {
  const chunks = fields.all(field)
  return chunks.length === 0 ? undefined : below(schemaMessage, Buffer.concat(chunks))
}

// The first moments of the years 0000 and 10000: what a time of four digits can say.
const secondsMin = -62_167_219_200
const secondsMax = 253_402_300_799

/** No bytes are Go's zero time, which is null in JSON. */
function readTime(bytes: Uint8Array, micro: boolean): Json {
  if (bytes.byteLength === 0) return null
  const fields = fieldsOf(bytes)
  const nanos = micro ? Number(BigInt.asIntN(32, BigInt(fields.number(2)))) : 0
  const micros = Math.trunc(nanos / 1000)
  const seconds = Number(fields.number(1)) + Math.floor(micros / 1_000_000)
  if (!(seconds >= secondsMin && seconds <= secondsMax)) {
    throw apiFault("SPT-API-060", { why: `a time of ${seconds} seconds`, offset: 0 })
  }
  const text = new Date(seconds * 1000).toISOString().slice(0, 19)
  if (!micro) return `${text}Z`
  const rest = ((micros % 1_000_000) + 1_000_000) % 1_000_000
  return `${text}.${String(rest).padStart(6, "0")}Z`
}

const quantity = /^[+-]?(\d+\.?\d*|\.\d+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/

/** Encoders write the canonical text, so that it only has to be a quantity at all. */
function readQuantity(text: string): Json {
  if (text === "") return "0"
  if (text.length > 100 || !quantity.test(text)) {
    throw apiFault("SPT-API-060", { why: "a quantity that is none", offset: 0 })
  }
  return text
}

function readIntOrString(bytes: Uint8Array): Json {
  const fields = fieldsOf(bytes)
  if (fields.number(1) === 1) return fields.text(3)
  if (fields.number(1) !== 0) {
    throw apiFault("SPT-API-060", { why: "neither an integer nor a string", offset: 0 })
  }
  return Number(BigInt.asIntN(32, BigInt(fields.number(2))))
}

function readRaw(bytes: Uint8Array): Json {
  const raw = fieldsOf(bytes).all(1).at(-1)
  return raw === undefined || raw.byteLength === 0 ? null : readJson(utf8(raw))
}

const units: readonly (readonly [unit: string, nanos: bigint])[] = [
  ["h", 3_600_000_000_000n],
  ["m", 60_000_000_000n],
]

/** As Go writes a duration: 1h0m30s, 1.5s, 250ms, 0s. */
function durationText(nanos: bigint): string {
  if (nanos === 0n) return "0s"
  const sign = nanos < 0n ? "-" : ""
  let rest = nanos < 0n ? -nanos : nanos
  if (rest < 1000n) return `${sign}${rest}ns`
  if (rest < 1_000_000n) return `${sign}${decimal(rest, 3)}µs`
  if (rest < 1_000_000_000n) return `${sign}${decimal(rest, 6)}ms`
  let text = sign
  for (const [unit, size] of units) {
    if (rest >= size || text !== sign) text += `${rest / size}${unit}`
    rest %= size
  }
  return `${text}${decimal(rest, 9)}s`
}

/** A number with so many digits behind the point, without the zeros at its end. */
function decimal(value: bigint, digits: number): string {
  const text = String(value).padStart(digits + 1, "0")
  const part = text.slice(-digits).replace(/0+$/, "")
  return part === "" ? text.slice(0, -digits) : `${text.slice(0, -digits)}.${part}`
}
