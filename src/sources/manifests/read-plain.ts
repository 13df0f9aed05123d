// Reads the plain part of YAML that most manifests are written in: block mappings and sequences
// with ordinary keys, one-line scalars, literal blocks, and flat flow collections. It answers
// exactly as the full reader would, or not at all: whatever is unusual, wrong, or too large is
// left to that one, which also words the errors. A test compares the two.

import { forbiddenKeys, type Json } from "../../base/json.ts"
import type { ManifestLimits } from "./limits.ts"

export interface PlainDocument {
  readonly value: Json
  /** One per value, in the order of a depth-first walk. */
  readonly offsets: readonly number[]
}

/** Thrown and caught here only: this text is for the full reader. */
const notPlain = Symbol("not plain")

const lengthMax = 262_144
const depthMax = 16
const valuesMax = 20_000

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unusual = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|^[ \n]*[%]/
const keyPattern = /([A-Za-z_][\w./-]*):(?: +|$)/my
const flowKey = /([A-Za-z_][\w./-]*): +/y
const quoted = /"(?:[^"\\\n]|\\["\\/bfnrt])*"/y
const singleQuoted = /'(?:[^'\n]|'')*'/y
const plainText = /[A-Za-z0-9/_](?:[\w /.,=+@()<>;$^~-]|:(?=[^ \n]))*/y
const flowText = /[A-Za-z0-9/_](?:[\w /.=+@()<>;$^~-]|:(?=[^ \n,\]}]))*/y
const wholeNumber = /^(?:0|[1-9][0-9]{0,14})$/
const word = /^(?:true|false|null|yes|no|on|off)$/i
const numeric = /^[-+.]?[0-9]/

/** Undefined when the text is not plain. */
export function readPlain(text: string, limits: ManifestLimits): PlainDocument[] | undefined {
  if (text.length > lengthMax || !text.endsWith("\n") || unusual.test(text)) return undefined
  try {
    return new PlainReader(text, limits).documents()
  } catch (error) {
    if (error === notPlain) return undefined
    throw error
  }
}

class PlainReader {
  readonly #text: string
  readonly #depthMax: number
  readonly #valuesMax: number
  #offsets: number[] = []
  #values = 0
  /** Where the next line begins. */
  #at = 0

  constructor(text: string, limits: ManifestLimits) {
    this.#text = text
    this.#depthMax = Math.min(depthMax, limits.depth)
    this.#valuesMax = Math.min(valuesMax, limits.nodesPerFile)
  }

  documents(): PlainDocument[] {
    const found: PlainDocument[] = []
    while (this.#at < this.#text.length) {
      this.#skip()
      if (this.#atMark()) {
        if (this.#lineEnd(this.#at) !== this.#at + 3) throw notPlain
        this.#at += 4
        continue
      }
      if (this.#at >= this.#text.length) break
      if (this.#indent() !== 0) throw notPlain
      this.#offsets = []
      const value = this.#block(0, 1)
      found.push({ value, offsets: this.#offsets })
      this.#skip()
      if (this.#at < this.#text.length && !this.#atMark()) throw notPlain
    }
    return found
  }

  #atMark(): boolean {
    return this.#text.startsWith("---", this.#at)
  }

  /** Over blank lines and lines that hold a comment alone. */
  #skip(): void {
    const text = this.#text
    while (this.#at < text.length) {
      let at = this.#at
      while (text.charCodeAt(at) === 32) at++
      const code = text.charCodeAt(at)
      if (code !== 10 && code !== 35) return
      this.#at = this.#lineEnd(at) + 1
    }
  }

  /** Of the line that begins here. */
  #indent(): number {
    let at = this.#at
    while (this.#text.charCodeAt(at) === 32) at++
    return at - this.#at
  }

  #lineEnd(at: number): number {
    return this.#text.indexOf("\n", at)
  }

  #note(offset: number, depth: number): void {
    this.#offsets.push(offset)
    if (++this.#values > this.#valuesMax || depth > this.#depthMax) throw notPlain
  }

  /** A mapping or sequence whose first line begins here and is indented so far. */
  #block(indent: number, depth: number): Json {
    const start = this.#at + indent
    return this.#text.startsWith("- ", start)
      ? this.#sequence(indent, depth)
      : this.#mapping(start, indent, depth)
  }

  #mapping(start: number, indent: number, depth: number): Json {
    this.#note(start, depth)
    const value: Record<string, Json> = {}
    let at = start
    for (;;) {
      keyPattern.lastIndex = at
      const key = keyPattern.exec(this.#text)?.[1]
      if (key === undefined || forbiddenKeys.has(key) || word.test(key)) throw notPlain
      if (Object.hasOwn(value, key)) throw notPlain
      value[key] = this.#member(keyPattern.lastIndex, indent, depth + 1)
      this.#skip()
      if (this.#at >= this.#text.length || this.#atMark()) return value
      const next = this.#indent()
      if (next < indent) return value
      if (next > indent) throw notPlain
      at = this.#at + indent
      if (this.#text.startsWith("- ", at)) throw notPlain
    }
  }

  /** The value behind a key; afterwards the next line begins at `#at`. */
  #member(at: number, indent: number, depth: number): Json {
    const end = this.#lineEnd(at)
    const code = this.#text.charCodeAt(at)
    if (at === end) {
      this.#at = end + 1
      this.#skip()
      if (this.#at >= this.#text.length) throw notPlain
      const next = this.#indent()
      const listed = next === indent && this.#text.startsWith("- ", this.#at + next)
      if (next <= indent && !listed) throw notPlain
      return this.#block(next, depth)
    }
    if (code === 124) return this.#literal(at, end, indent, depth)
    return this.#inline(at, end, depth)
  }

  #sequence(indent: number, depth: number): Json {
    this.#note(this.#at + indent, depth)
    const items: Json[] = []
    for (;;) {
      let at = this.#at + indent + 1
      while (this.#text.charCodeAt(at) === 32) at++
      const end = this.#lineEnd(at)
      if (at === end) throw notPlain
      keyPattern.lastIndex = at
      if (keyPattern.test(this.#text)) items.push(this.#mapping(at, at - this.#at, depth + 1))
      else items.push(this.#inline(at, end, depth + 1))
      this.#skip()
      if (this.#at >= this.#text.length || this.#atMark()) return items
      const next = this.#indent()
      if (next < indent) return items
      if (next > indent) throw notPlain
      if (!this.#text.startsWith("- ", this.#at + indent)) return items
    }
  }

  /** A scalar or flow collection that ends with its line. */
  #inline(at: number, end: number, depth: number): Json {
    const [value, after] = this.#flow(at, depth, false)
    let rest = after
    while (this.#text.charCodeAt(rest) === 32) rest++
    if (rest !== end) throw notPlain
    this.#at = end + 1
    return value
  }

  #flow(at: number, depth: number, inside: boolean): [Json, number] {
    const code = this.#text.charCodeAt(at)
    if (code === 123 && !inside) return this.#flowMapping(at, depth)
    if (code === 91 && !inside) return this.#flowSequence(at, depth)
    this.#note(at, depth)
    if (code === 34) {
      const source = this.#match(quoted, at)
      return [JSON.parse(source) as string, at + source.length]
    }
    if (code === 39) {
      const source = this.#match(singleQuoted, at)
      return [source.slice(1, -1).replaceAll("''", "'"), at + source.length]
    }
    const source = this.#match(inside ? flowText : plainText, at)
    return [plainValue(source.trimEnd()), at + source.length]
  }

  #flowMapping(start: number, depth: number): [Json, number] {
    this.#note(start, depth)
    const value: Record<string, Json> = {}
    let at = this.#space(start + 1)
    while (this.#text.charCodeAt(at) !== 125) {
      flowKey.lastIndex = at
      const key = flowKey.exec(this.#text)?.[1]
      if (key === undefined || forbiddenKeys.has(key) || word.test(key)) throw notPlain
      if (Object.hasOwn(value, key)) throw notPlain
      const [member, after] = this.#flow(flowKey.lastIndex, depth + 1, true)
      value[key] = member
      at = this.#separator(after, 125)
    }
    return [value, at + 1]
  }

  #flowSequence(start: number, depth: number): [Json, number] {
    this.#note(start, depth)
    const items: Json[] = []
    let at = this.#space(start + 1)
    while (this.#text.charCodeAt(at) !== 93) {
      const [item, after] = this.#flow(at, depth + 1, true)
      items.push(item)
      at = this.#separator(after, 93)
    }
    return [items, at + 1]
  }

  /** Over spaces and one comma, which the end of the collection may not follow. */
  #separator(at: number, close: number): number {
    const here = this.#space(at)
    if (this.#text.charCodeAt(here) === close) return here
    if (this.#text.charCodeAt(here) !== 44) throw notPlain
    const next = this.#space(here + 1)
    if (this.#text.charCodeAt(next) === close || next === here + 1) throw notPlain
    return next
  }

  #space(at: number): number {
    let next = at
    while (this.#text.charCodeAt(next) === 32) next++
    return next
  }

  #match(pattern: RegExp, at: number): string {
    pattern.lastIndex = at
    const found = pattern.exec(this.#text)?.[0]
    if (found === undefined) throw notPlain
    return found
  }

  /** `|` and `|-` without an indentation mark; the first line says how far it is indented. */
  #literal(at: number, end: number, indent: number, depth: number): Json {
    this.#note(at, depth)
    const header = this.#text.slice(at, end).trimEnd()
    if (header !== "|" && header !== "|-") throw notPlain
    this.#at = end + 1
    const own = this.#indent()
    if (own <= indent || this.#text.charCodeAt(this.#at + own) === 10) throw notPlain
    const lines: string[] = []
    let blank = 0
    while (this.#at < this.#text.length) {
      const lineEnd = this.#lineEnd(this.#at)
      const spaces = this.#indent()
      if (this.#at + spaces === lineEnd) {
        if (spaces > 0) throw notPlain
        blank++
      } else if (spaces < own) {
        if (spaces > indent || this.#text.charCodeAt(this.#at + spaces) === 35) throw notPlain
        break
      } else {
        for (; blank > 0; blank--) lines.push("")
        lines.push(this.#text.slice(this.#at + own, lineEnd))
      }
      this.#at = lineEnd + 1
    }
    return `${lines.join("\n")}${header === "|" ? "\n" : ""}`
  }
}

/** As YAML's core schema reads it; numbers that need care are left to the full reader. */
function plainValue(text: string): Json {
  if (text === "true") return true
  if (text === "false") return false
  if (wholeNumber.test(text)) return Number(text)
  if (word.test(text)) {
    // Words of older YAML are plain text now; the odd spellings of true and null are not worth it.
    if (/^(?:yes|no|on|off)$/i.test(text)) return text
    throw notPlain
  }
  if (numeric.test(text) && !/^[0-9]+[A-Za-z]+$|\..*\.|[A-Za-z/]{2}/.test(text)) throw notPlain
  if (/^0[xo]|^[0-9.]+e/i.test(text)) throw notPlain
  return text
}
