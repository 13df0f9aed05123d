// Turns the bytes of one message into the JSON object that Go would write for the same value:
// members in the order of the table, empty ones left out exactly where the tags say so. What is
// not in the table is skipped, as every protobuf reader does.

import { forbiddenKeys, type Json } from "../../base/json.ts"
import { apiFault } from "../faults.ts"
import { type MessageField, type MessageTable, messageTable } from "./message-tables.ts"
import { isSpecial, readSpecial } from "./special-forms.ts"
import { WireReader, wireBytes, wireFixed64, wireVarint } from "./wire-reader.ts"

export const protobufLimits = { depth: 64, values: 200_000 }

/** What may still be made out of one body. */
export interface DecodeBudget {
  values: number
}

/** Found on the wire; undefined when the field was not there. */
type Found = Json | undefined

/** Bytes of one message field, kept until all its occurrences are known. */
type Chunks = Uint8Array[]

export function decodeMessage(
  name: string,
  bytes: Uint8Array,
  depth: number,
  budget: DecodeBudget,
): Json {
  spend(budget, depth)
  if (isSpecial(name)) {
    const below = (type: string, inner: Uint8Array) => decodeMessage(type, inner, depth + 1, budget)
    return readSpecial(name, bytes, below)
  }
  const table = messageTable(name)
  if (table === undefined) throw new Error(`no table for the message ${name}`)
  const members: Record<string, Json> = {}
  fillMembers(members, table, bytes, depth, budget)
  return table.isList ? (members.items ?? []) : members
}

function spend(budget: DecodeBudget, depth: number): void {
  if (depth > protobufLimits.depth) {
    throw apiFault("SPT-API-060", { why: `nesting deeper than ${protobufLimits.depth}`, offset: 0 })
  }
  if (--budget.values < 0) {
    const size = `more than ${protobufLimits.values} values`
    throw apiFault("SPT-API-009", {
      what: "the protobuf body",
      size,
      limit: protobufLimits.values,
    })
  }
}

function fillMembers(
  members: Record<string, Json>,
  table: MessageTable,
  bytes: Uint8Array,
  depth: number,
  budget: DecodeBudget,
): void {
  const found = scan(table, bytes, depth, budget)
  for (const [index, field] of table.fields.entries()) {
    const one = found[index]
    if (field.inline) {
      const inner = messageTable(field.type)
      if (inner === undefined) throw new Error(`no table for the message ${field.type}`)
      spend(budget, depth + 1)
      fillMembers(members, inner, joined(one?.chunks), depth + 1, budget)
      continue
    }
    const value = memberValue(field, one, depth, budget)
    if (value !== undefined) members[field.name] = value
  }
}

interface Occurrence {
  value?: Json
  chunks?: Chunks
}

/** One pass over the wire; what a field held is kept by its place in the table. */
function scan(
  table: MessageTable,
  bytes: Uint8Array,
  depth: number,
  budget: DecodeBudget,
): (Occurrence | undefined)[] {
  const found: (Occurrence | undefined)[] = []
  const reader = new WireReader(bytes)
  while (!reader.done) {
    const index = table.indexes.get(reader.field())
    const field = index === undefined ? undefined : table.fields[index]
    if (index === undefined || field === undefined) {
      reader.skip()
      continue
    }
    const before = found[index]
    const one = before ?? {}
    if (before === undefined) found[index] = one
    if (field.shape === "list") readItems(reader, field, one, depth, budget)
    else if (field.shape === "map") readEntry(reader, field, one, depth, budget)
    else if (isScalar(field.type)) one.value = readScalar(reader, field.type)
    else {
      reader.expect(wireBytes)
      one.chunks ??= []
      one.chunks.push(reader.bytes())
    }
  }
  return found
}

const scalarWires: Readonly<Record<string, number>> = {
  s: wireBytes,
  y: wireBytes,
  b: wireVarint,
  i: wireVarint,
  l: wireVarint,
  d: wireFixed64,
}

const isScalar = (type: string): boolean => Object.hasOwn(scalarWires, type)

function readScalar(reader: WireReader, type: string): Json {
  reader.expect(scalarWires[type] ?? wireBytes)
  return readBare(reader, type)
}

function readBare(reader: WireReader, type: string): Json {
  if (type === "s") return reader.text()
  if (type === "y") return Buffer.from(reader.bytes()).toString("base64")
  if (type === "b") return reader.bool()
  if (type === "i") return reader.int32()
  if (type === "l") return reader.int64()
  const value = reader.double()
  if (!Number.isFinite(value)) reader.refuse("a number that JSON can't write")
  return value
}

function readItems(
  reader: WireReader,
  field: MessageField,
  one: Occurrence,
  depth: number,
  budget: DecodeBudget,
): void {
  const items = (one.value ?? []) as Json[]
  one.value = items
  if (!isScalar(field.type)) {
    reader.expect(wireBytes)
    items.push(decodeMessage(field.type, reader.bytes(), depth + 1, budget))
    return
  }
  const packed = reader.wire === wireBytes && scalarWires[field.type] !== wireBytes
  if (!packed) {
    spend(budget, depth)
    items.push(readScalar(reader, field.type))
    return
  }
  const inner = new WireReader(reader.bytes())
  while (!inner.done) {
    spend(budget, depth)
    items.push(readBare(inner, field.type))
  }
}

/** A map travels as a list of messages of a key and a value; the last of a key wins. */
function readEntry(
  reader: WireReader,
  field: MessageField,
  one: Occurrence,
  depth: number,
  budget: DecodeBudget,
): void {
  const members = (one.value ?? {}) as Record<string, Json>
  one.value = members
  reader.expect(wireBytes)
  const entry = new WireReader(reader.bytes())
  let key = ""
  let value: Json | undefined
  while (!entry.done) {
    const number = entry.field()
    if (number === 1) {
      entry.expect(wireBytes)
      key = entry.text()
    } else if (number !== 2) entry.skip()
    else if (isScalar(field.type)) value = readScalar(entry, field.type)
    else {
      entry.expect(wireBytes)
      value = decodeMessage(field.type, entry.bytes(), depth + 1, budget)
    }
  }
  if (forbiddenKeys.has(key)) reader.refuse(`the key "${key}" is forbidden`)
  spend(budget, depth)
  members[key] = value ?? zeroOf(field.type, depth, budget)
}

/** The member's value, or undefined when the JSON form leaves it out. */
function memberValue(
  field: MessageField,
  one: Occurrence | undefined,
  depth: number,
  budget: DecodeBudget,
): Found {
  if (field.shape !== "one") return one?.value ?? (field.omitEmpty ? undefined : null)
  if (isScalar(field.type)) return scalarValue(field, one?.value)
  if (one?.chunks === undefined && field.pointer) return field.omitEmpty ? undefined : null
  const bytes = joined(one?.chunks)
  // Only times carry it: zero is written as no bytes at all.
  if (field.omitZero && bytes.byteLength === 0) return undefined
  return decodeMessage(field.type, bytes, depth + 1, budget)
}

function scalarValue(field: MessageField, value: Found): Found {
  if (field.pointer) return value ?? (field.omitEmpty ? undefined : null)
  // A byte string that is not there is null in Go's JSON, one of no bytes is "".
  const full = value ?? (field.type === "y" ? null : scalarZero(field.type))
  const isEmpty = full === null || full === scalarZero(field.type)
  return field.omitEmpty && isEmpty ? undefined : full
}

function scalarZero(type: string): Json {
  if (type === "s" || type === "y") return ""
  return type === "b" ? false : 0
}

function zeroOf(type: string, depth: number, budget: DecodeBudget): Json {
  if (isScalar(type)) return scalarZero(type)
  return decodeMessage(type, new Uint8Array(), depth + 1, budget)
}

/** Protobuf merges the occurrences of a message, which is what their bytes in a row mean. */
function joined(chunks: Chunks | undefined): Uint8Array {
  if (chunks === undefined) return new Uint8Array()
  const [first] = chunks
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
}
