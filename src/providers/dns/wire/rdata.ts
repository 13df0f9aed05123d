// Record data of every type as text and as bytes. Text is what people declare and what is compared;
// bytes are made from it when a message is written. Both are in one form: the same data has the
// same text, and the same text the same bytes.

import { isFault } from "../../../base/faults.ts"
import { parseIp4 } from "./ip-address.ts"
import {
  base64,
  type Field,
  hex,
  ip4,
  ip6,
  name,
  restString,
  string,
  tag,
  u8,
  u16,
  u32,
  Words,
} from "./rdata-fields.ts"
import { type KnownType, recordTypes, typeName } from "./record-numbers.ts"
import { params } from "./svc-params.ts"
import { quoted, type Token, tokenBytes, tokensOf, valueFault, type Wrong } from "./text-tokens.ts"
import { unreadable, WireReader } from "./wire-reader.ts"
import { WireWriter } from "./wire-writer.ts"

const layouts: Partial<Record<KnownType, readonly Field[]>> = {
  A: [ip4],
  AAAA: [ip6],
  NS: [name],
  CNAME: [name],
  PTR: [name],
  DNAME: [name],
  SOA: [name, name, u32, u32, u32, u32, u32],
  MX: [u16, name],
  RP: [name, name],
  AFSDB: [u16, name],
  HINFO: [string, string],
  SRV: [u16, u16, u16, name],
  NAPTR: [u16, u16, string, string, string, name],
  DS: [u16, u8, u8, hex],
  CDS: [u16, u8, u8, hex],
  SSHFP: [u8, u8, hex],
  TLSA: [u8, u8, u8, hex],
  SMIMEA: [u8, u8, u8, hex],
  DNSKEY: [u16, u8, u8, base64],
  CDNSKEY: [u16, u8, u8, base64],
  OPENPGPKEY: [base64],
  SVCB: [u16, name, params],
  HTTPS: [u16, name, params],
  URI: [u16, u16, restString],
  CAA: [u8, tag, restString],
}

const fieldsOf = new Map(
  Object.entries(layouts).map(([type, fields]) => [recordTypes[type as KnownType], fields]),
)
const textTypes: ReadonlySet<number> = new Set([recordTypes.TXT, recordTypes.SPF])

/** Servers keep more in these than has a text; such data is shown as bytes. */
const lenient: ReadonlySet<number> = new Set([
  ...[recordTypes.CAA, recordTypes.SVCB, recordTypes.HTTPS],
])

/** Does this type's data have parts, or is it bytes to us? */
export const isKnownLayout = (type: number): boolean => fieldsOf.has(type) || textTypes.has(type)

/** The text of the data in the reader, which must end exactly with it. */
export function rdataText(type: number, from: WireReader): string {
  if (textTypes.has(type)) return txtText(from)
  const fields = fieldsOf.get(type)
  if (fields === undefined) return genericText(from.take(from.left))
  if (!lenient.has(type)) return layoutText(type, fields, from)
  const start = from.at
  try {
    return layoutText(type, fields, from)
  } catch {
    from.at = start
    return genericText(from.take(from.left))
  }
}

function layoutText(type: number, fields: readonly Field[], from: WireReader): string {
  let text = ""
  for (const field of fields) {
    const part = field.read(from)
    if (part !== "") text = text === "" ? part : `${text} ${part}`
  }
  if (from.left > 0) throw unreadable(`a ${typeName(type)} record is longer than its data`)
  return text
}

/** The bytes of a value as a person wrote it; names in it must be absolute. */
export function rdataBytes(type: number, value: string): Buffer {
  const wrong = valueFault(typeName(type), value)
  if (value.length > 200_000) throw wrong("it is too long")
  const generic = /^\\#\s+(\d{1,5})((\s+[0-9a-f]+)*)\s*$/i.exec(value)
  if (generic !== null) return genericBytes(generic[1] ?? "", generic[2] ?? "", wrong)
  if (textTypes.has(type)) return txtBytes(value, wrong)
  return tokenData(type, tokensOf(value, wrong), wrong)
}

function tokenData(type: number, tokens: readonly Token[], wrong: Wrong, origin?: string): Buffer {
  const fields = fieldsOf.get(type)
  if (fields === undefined) throw wrong("write it as `\\# LENGTH HEX`")
  const words = new Words(tokens, wrong, origin)
  const to = new WireWriter()
  for (const field of fields) field.write(to, words)
  if (words.left > 0) throw wrong("it has too many parts")
  const bytes = Buffer.from(to.finish())
  if (bytes.length > 0xffff) throw wrong("it is too long")
  return bytes
}

/** The one text of data as a zone file has it: words, and names below an origin. */
export function zoneFileText(
  type: number,
  tokens: readonly Token[],
  wrong: Wrong,
  origin: string,
): string {
  const [first, length, ...digits] = tokens
  const generic = first?.text === "\\#" && !first.quoted
  const hex = digits.map((token) => token.text).join("")
  const bytes = generic
    ? genericBytes(length?.text ?? "", hex, wrong)
    : textTypes.has(type)
      ? stringsData(tokens, wrong)
      : tokenData(type, tokens, wrong, origin)
  return rdataText(type, new WireReader(bytes))
}

function stringsData(tokens: readonly Token[], wrong: Wrong): Buffer {
  if (tokens.length === 0) throw wrong("a string is missing")
  const to = new WireWriter()
  for (const token of tokens) {
    const bytes = tokenBytes(token.text, wrong)
    if (bytes.length > chunkMax) throw wrong("a string is longer than 255 bytes")
    to.u8(bytes.length).put(bytes)
  }
  return Buffer.from(to.finish())
}

/** The one text of a value. */
export function canonicalValue(type: number, value: string): string {
  // Most records are addresses, and an IPv4 address has only one text.
  if (type === recordTypes.A && parseIp4(value) !== undefined) return value
  const bytes = rdataBytes(type, value)
  try {
    return rdataText(type, new WireReader(bytes))
  } catch (error) {
    const cause = "its bytes are no data of this type"
    throw isFault(error) ? valueFault(typeName(type), value)(cause) : error
  }
}

function genericText(bytes: Buffer): string {
  return bytes.length === 0 ? "\\# 0" : `\\# ${bytes.length} ${bytes.toString("hex")}`
}

function genericBytes(length: string, digits: string, wrong: Wrong): Buffer {
  const text = digits.replaceAll(/\s+/g, "")
  if (text.length !== Number(length) * 2) throw wrong("its length and its bytes do not agree")
  return Buffer.from(text, "hex")
}

const chunkMax = 255
/** Only printable characters, and not mistaken for a quoted or generic form. */
const plainText = /^(?!["\\]#?)[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]*$/u

/** One text when it was cut as we cut it; otherwise the strings as they are, quoted. */
function txtText(from: WireReader): string {
  const chunks: Buffer[] = []
  while (from.left > 0) chunks.push(from.take(from.u8()))
  if (chunks.length === 0) throw unreadable("a TXT record has no string")
  const whole = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
  const asWeCut = chunks.every(
    (chunk, index) =>
      chunk.length === chunkMax ||
      (index === chunks.length - 1 && (index === 0 || chunk.length > 0)),
  )
  if (asWeCut && whole !== undefined && whole.length > 0) {
    const text = whole.toString("utf8")
    const trimmed = text.trim() === text
    if (trimmed && plainText.test(text) && Buffer.from(text, "utf8").equals(whole)) return text
  }
  return chunks.map(quoted).join(" ")
}

function txtBytes(value: string, wrong: Wrong): Buffer {
  const to = new WireWriter()
  const strings = value.startsWith('"') ? tokensOf(value, wrong) : []
  if (strings.length > 1) to.put(stringsData(strings, wrong))
  else {
    const [only] = strings
    const bytes = only === undefined ? Buffer.from(value, "utf8") : tokenBytes(only.text, wrong)
    if (bytes.length === 0) to.u8(0)
    for (let at = 0; at < bytes.length; at += chunkMax) {
      const chunk = bytes.subarray(at, at + chunkMax)
      to.u8(chunk.length).put(chunk)
    }
  }
  if (to.length > 0xffff) throw wrong("it is too long")
  return Buffer.from(to.finish())
}
