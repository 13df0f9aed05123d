// Cuts the text of a record's data into words and quoted strings, as zone files write them.

import { dnsFault } from "../faults.ts"
import { readEscape } from "./name.ts"

export interface Token {
  /** As written, escapes and all; names are read from it. */
  readonly text: string
  readonly quoted: boolean
}

export type Wrong = (cause: string) => Error

export function tokensOf(text: string, wrong: Wrong): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const here = text[at]
    if (here === " " || here === "\t") at++
    else if (here === '"') {
      const end = quoteEnd(text, at + 1)
      if (end === undefined) throw wrong("a quote is not closed")
      tokens.push({ text: text.slice(at + 1, end), quoted: true })
      at = end + 1
    } else {
      const end = wordEnd(text, at)
      tokens.push({ text: text.slice(at, end), quoted: false })
      at = end
    }
  }
  return tokens
}

function quoteEnd(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === '"') return at
  }
  return undefined
}

/** A quote inside a word belongs to it: `alpn="h2,h3"`. */
function wordEnd(text: string, from: number): number {
  let quoted = false
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === '"') quoted = !quoted
    else if (!quoted && (text[at] === " " || text[at] === "\t")) return at
  }
  return text.length
}

/** The bytes that a word or quoted string stands for; characters beyond ASCII are UTF-8. */
export function tokenBytes(text: string, wrong: Wrong): Buffer {
  if (!text.includes("\\")) return Buffer.from(text, "utf8")
  const parts: Buffer[] = []
  let plain = ""
  for (let at = 0; at < text.length; ) {
    if (text[at] !== "\\") plain += text[at++]
    else {
      const { byte, length } = readEscape(text, at, wrong)
      parts.push(Buffer.from(plain, "utf8"), Buffer.from([byte]))
      plain = ""
      at += length
    }
  }
  return Buffer.concat([...parts, Buffer.from(plain, "utf8")])
}

/** Bytes as a quoted string: what is not printable ASCII is escaped. */
export function quoted(bytes: Uint8Array): string {
  let text = '"'
  for (const byte of bytes) {
    if (byte === 0x22 || byte === 0x5c) text += `\\${String.fromCharCode(byte)}`
    else if (byte >= 0x20 && byte < 0x7f) text += String.fromCharCode(byte)
    else text += `\\${String(byte).padStart(3, "0")}`
  }
  return `${text}"`
}

export const valueFault =
  (type: string, value: string): Wrong =>
  (cause) =>
    dnsFault("SPT-DNS-003", { type, value: JSON.stringify(shortened(value)), cause })

const shortened = (text: string): string => (text.length <= 100 ? text : `${text.slice(0, 100)}…`)
