// Domain names. Inside this provider a name is always text in one form: lower-case, absolute, with
// a dot at the end, and everything that is not a plain character escaped. Two names are the same
// exactly when their texts are.

import { dnsFault } from "../faults.ts"

export const labelBytesMax = 63
export const nameBytesMax = 255

const plainBelow = /^[a-z0-9_*/-]{1,63}(\.[a-z0-9_*/-]{1,63}){0,126}$/
const plain = /^[a-z0-9_*/-]{1,63}(\.[a-z0-9_*/-]{1,63}){0,126}\.$/

/** The one form of a name that a person wrote; without a dot at the end it is below the origin. */
export function parseName(text: string, origin?: string): string {
  const wrong = (cause: string) => dnsFault("SPT-DNS-002", { name: JSON.stringify(text), cause })
  if (text.length > 2000) throw wrong("it is too long")
  if (text === "@" && origin !== undefined) return origin
  if (text === ".") return text
  const lower = text.toLowerCase()
  if (text.length < nameBytesMax && plain.test(lower)) return lower
  if (origin !== undefined && origin !== "." && plainBelow.test(lower)) {
    const full = `${lower}.${origin}`
    if (full.length < nameBytesMax) return full
  }
  const { labels, absolute } = splitLabels(text, wrong)
  if (!absolute && origin === undefined) throw wrong("it does not end with a dot")
  const below = absolute || origin === undefined || origin === "." ? "" : origin
  const full = `${labels.map(labelText).join(".")}.${below}`
  if (nameLength(full) > nameBytesMax) throw wrong("it is longer than 255 bytes")
  return full
}

type Wrong = (cause: string) => Error

function splitLabels(text: string, wrong: Wrong): { labels: Buffer[]; absolute: boolean } {
  const labels: Buffer[] = []
  let label: number[] = []
  const finish = () => {
    if (label.length === 0) throw wrong("a label is empty")
    if (label.length > labelBytesMax) throw wrong("a label is longer than 63 bytes")
    labels.push(Buffer.from(label))
    label = []
  }
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (text[at] === ".") {
      finish()
      if (at === text.length - 1) return { labels, absolute: true }
      at++
    } else if (text[at] === "\\") {
      const { byte, length } = readEscape(text, at, wrong)
      label.push(byte)
      at += length
    } else if (code > 0x7e) throw wrong("it is not ASCII; write it in Punycode (xn--...)")
    else if (code <= 0x20 || '"();'.includes(text[at] ?? "")) {
      throw wrong(`the character ${JSON.stringify(text[at])} needs a backslash`)
    } else {
      label.push(code)
      at++
    }
  }
  finish()
  return { labels, absolute: false }
}

/** `\DDD` is a byte, a backslash before anything else makes it plain. */
export function readEscape(
  text: string,
  at: number,
  wrong: Wrong,
): { byte: number; length: number } {
  const digits = /^\d{3}/.exec(text.slice(at + 1, at + 4))?.[0]
  if (digits !== undefined) {
    if (Number(digits) > 255) throw wrong(`\\${digits} is no byte`)
    return { byte: Number(digits), length: 4 }
  }
  const code = text.charCodeAt(at + 1)
  if (Number.isNaN(code) || code > 0x7e) throw wrong("a backslash stands before nothing")
  return { byte: code, length: 2 }
}

/** One label as text: lower-case, with everything escaped that would be read otherwise. */
export function labelText(bytes: Uint8Array): string {
  let text = ""
  for (const byte of bytes) {
    const lower = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
    if (isPlain(lower)) text += String.fromCharCode(lower)
    else if (lower > 0x20 && lower < 0x7f) text += `\\${String.fromCharCode(lower)}`
    else text += `\\${String(lower).padStart(3, "0")}`
  }
  return text
}

function isPlain(byte: number): boolean {
  return (
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    [0x2d, 0x5f, 0x2a, 0x2f].includes(byte)
  )
}

/** The labels of a name in its one form, still escaped, without the root. */
export function labelsOf(name: string): readonly string[] {
  if (name === ".") return []
  if (!name.includes("\\")) return name.slice(0, -1).split(".")
  const labels: string[] = []
  let start = 0
  for (let at = 0; at < name.length; at++) {
    if (name[at] === "\\") at++
    else if (name[at] === ".") {
      labels.push(name.slice(start, at))
      start = at + 1
    }
  }
  return labels
}

/** The bytes of one escaped label. */
export function labelBytes(label: string): Buffer {
  if (!label.includes("\\")) return Buffer.from(label, "latin1")
  const bytes: number[] = []
  for (let at = 0; at < label.length; ) {
    if (label[at] !== "\\") bytes.push(label.charCodeAt(at++))
    else {
      const { byte, length } = readEscape(label, at, (cause) =>
        dnsFault("SPT-DNS-002", { name: label, cause }),
      )
      bytes.push(byte)
      at += length
    }
  }
  return Buffer.from(bytes)
}

/** Bytes on the wire, the root's zero included. */
export function nameLength(name: string): number {
  if (name === ".") return 1
  if (!name.includes("\\")) return name.length + 1
  return labelsOf(name).reduce((sum, label) => sum + labelBytes(label).length + 1, 1)
}

/** Uncompressed. */
export function nameToWire(name: string): Buffer {
  const parts: Buffer[] = []
  for (const label of labelsOf(name)) {
    const bytes = labelBytes(label)
    parts.push(Buffer.from([bytes.length]), bytes)
  }
  return Buffer.concat([...parts, Buffer.from([0])])
}

export function isBelow(name: string, zone: string): boolean {
  if (name === zone || zone === ".") return true
  if (!name.endsWith(zone) || name[name.length - zone.length - 1] !== ".") return false
  // An escaped dot before the zone's text would be part of a label.
  return !name.includes("\\") || !/(^|[^\\])(\\\\)*\\$/.test(name.slice(0, -zone.length - 1))
}
