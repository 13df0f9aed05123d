// A strict JSON reader for text from outside. It names what JSON.parse lets pass, duplicate keys,
// and refuses keys that reach a prototype, integers that would lose digits, and nesting or size
// without bound. Its own stack is a loop's, so that no input can exhaust the process's.

import { forbiddenKeys, type Json, type JsonObject } from "../base/json.ts"
import { integerOf } from "../base/json-text.ts"
import { apiFault } from "./faults.ts"

export interface ReadJsonLimits {
  readonly depth: number
  readonly characters: number
}

export const readJsonLimits: ReadJsonLimits = { depth: 64, characters: 3 * 1024 * 1024 }

export interface JsonDocument {
  readonly value: Json
  /** Of each key that was there twice, the path: `spec.ports[0].name`. The last value counts. */
  readonly duplicates: readonly string[]
}

/** More than this says no more. */
const duplicatesMax = 100

type Open =
  | { readonly kind: "array"; readonly items: Json[] }
  | { readonly kind: "object"; readonly members: Record<string, Json>; key: string }

const numberText = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them inside strings
const plainText = /[^"\\\u0000-\u001f]*/y
const space = /[ \t\r\n]*/y
const words: readonly (readonly [string, Json])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
]
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
}

class Reader {
  readonly duplicates = new Set<string>()
  readonly #text: string
  #offset = 0

  constructor(text: string) {
    this.#text = text
  }

  refuse(why: string): never {
    throw apiFault("SPT-API-008", { why, offset: this.#offset })
  }

  /** The next character that is not white space; "" at the end. */
  peek(): string {
    space.lastIndex = this.#offset
    space.test(this.#text)
    this.#offset = space.lastIndex
    return this.#text[this.#offset] ?? ""
  }

  take(expected: string): void {
    const found = this.peek()
    if (found !== expected) {
      this.refuse(`expected "${expected}", found ${found === "" ? "the end" : `"${found}"`}`)
    }
    this.#offset++
  }

  skip(): void {
    this.#offset++
  }

  readString(): string {
    this.take('"')
    let value = ""
    for (;;) {
      plainText.lastIndex = this.#offset
      plainText.test(this.#text)
      value += this.#text.slice(this.#offset, plainText.lastIndex)
      this.#offset = plainText.lastIndex
      const next = this.#text[this.#offset]
      if (next === '"') break
      if (next !== "\\") this.refuse("a string that does not end, or a control character in it")
      value += this.#readEscape()
    }
    this.#offset++
    return value
  }

  #readEscape(): string {
    const letter = this.#text[this.#offset + 1] ?? ""
    const plain = escapes[letter]
    if (plain !== undefined) {
      this.#offset += 2
      return plain
    }
    const code = this.#text.slice(this.#offset + 2, this.#offset + 6)
    if (letter !== "u" || !/^[0-9a-fA-F]{4}$/.test(code)) this.refuse("an unknown escape")
    this.#offset += 6
    return String.fromCharCode(Number.parseInt(code, 16))
  }

  readScalar(): Json {
    for (const [word, value] of words) {
      if (!this.#text.startsWith(word, this.#offset)) continue
      this.#offset += word.length
      return value
    }
    numberText.lastIndex = this.#offset
    const match = numberText.exec(this.#text)
    if (match === null) this.refuse("this is no JSON value")
    const whole = match[1] === undefined && match[2] === undefined
    const value = whole ? integerOf(match[0]) : Number(match[0])
    if (value === undefined) this.refuse("an integer beyond 64 bits loses digits")
    if (typeof value === "number" && !Number.isFinite(value)) this.refuse("a number too large")
    this.#offset = numberText.lastIndex
    return value
  }

  readKey(open: Extract<Open, { kind: "object" }>, stack: readonly Open[]): void {
    this.peek()
    const key = this.readString()
    if (forbiddenKeys.has(key)) this.refuse(`the key "${key}" is forbidden`)
    open.key = key
    if (Object.hasOwn(open.members, key) && this.duplicates.size < duplicatesMax) {
      this.duplicates.add(pathOf(stack))
    }
    this.take(":")
  }
}

function pathOf(stack: readonly Open[]): string {
  let path = ""
  for (const open of stack) {
    if (open.kind === "array") path += `[${open.items.length}]`
    else path += path === "" ? open.key : `.${open.key}`
  }
  return path
}

function attach(open: Open, value: Json): void {
  if (open.kind === "array") open.items.push(value)
  else open.members[open.key] = value
}

const contentOf = (open: Open): Json => (open.kind === "array" ? open.items : open.members)

/** For text in which a duplicate key can only be a mistake. */
export function readJson(text: string, limits: ReadJsonLimits = readJsonLimits): Json {
  const { value, duplicates } = readJsonDocument(text, limits)
  const [path] = duplicates
  if (path === undefined) return value
  throw apiFault("SPT-API-008", { why: `duplicate field "${path}"`, offset: 0 })
}

const none: readonly string[] = []
/** Escapes that may hide a name, names that are forbidden, and digits that no double keeps. */
const slow = new RegExp(`\\\\u|"(?:${[...forbiddenKeys].join("|")})"|\\d{16}`)
/** Whoever begins with white space goes on with it. */
const spaced = /[{[:,][ \t\r\n]/

/**
 * Text that is exactly what its value is written as holds no key twice and no number that loses
 * digits: reading and writing it the built-in way is the faster proof, and most clients send no
 * white space. Undefined when that does not show it, whatever the text is.
 */
function readCanonical(text: string, depth: number): Json | undefined {
  if (spaced.test(text.slice(0, 80)) || slow.test(text)) return undefined
  // A new line at the end is what many clients send.
  const trimmed = text.endsWith("\n") ? text.slice(0, -1) : text
  try {
    const value = JSON.parse(trimmed) as Json
    return JSON.stringify(value) === trimmed && isWithin(value, depth) ? value : undefined
  } catch {
    return undefined
  }
}

function isWithin(value: Json | undefined, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true
  if (depth === 0) return false
  if (Array.isArray(value)) return value.every((item: Json) => isWithin(item, depth - 1))
  for (const name in value) if (!isWithin((value as JsonObject)[name], depth - 1)) return false
  return true
}

export function readJsonDocument(
  text: string,
  limits: ReadJsonLimits = readJsonLimits,
): JsonDocument {
  if (text.length > limits.characters) {
    const sizes = { size: text.length, limit: limits.characters }
    throw apiFault("SPT-API-009", { what: "the JSON text", ...sizes })
  }
  const canonical = readCanonical(text, limits.depth)
  if (canonical !== undefined) return { value: canonical, duplicates: none }
  const reader = new Reader(text)
  const stack: Open[] = []
  for (;;) {
    let value = readValue(reader, stack, limits)
    // A finished value closes as many brackets as follow it.
    while (value !== undefined) {
      const open = stack.at(-1)
      if (open === undefined) {
        if (reader.peek() !== "") reader.refuse("text after the value")
        return { value, duplicates: [...reader.duplicates] }
      }
      attach(open, value)
      value = afterMember(reader, stack, open)
    }
  }
}

/** A finished value, or undefined when a bracket was opened and its first member comes next. */
function readValue(reader: Reader, stack: Open[], limits: ReadJsonLimits): Json | undefined {
  const next = reader.peek()
  if (next === '"') return reader.readString()
  if (next !== "{" && next !== "[") return reader.readScalar()
  if (stack.length >= limits.depth) reader.refuse(`nesting deeper than ${limits.depth}`)
  reader.skip()
  const open: Open =
    next === "[" ? { kind: "array", items: [] } : { kind: "object", members: {}, key: "" }
  if (reader.peek() === (next === "[" ? "]" : "}")) {
    reader.skip()
    return contentOf(open)
  }
  stack.push(open)
  if (open.kind === "object") reader.readKey(open, stack)
  return undefined
}

/** The content of the bracket when it closes here; undefined when another member follows. */
function afterMember(reader: Reader, stack: Open[], open: Open): Json | undefined {
  if (reader.peek() === ",") {
    reader.skip()
    if (open.kind === "object") reader.readKey(open, stack)
    return undefined
  }
  reader.take(open.kind === "array" ? "]" : "}")
  stack.pop()
  return contentOf(open)
}
