// Cuts a zone file into entries of words, with the place of each: comments go, parentheses join
// lines, quotes keep spaces. One pass over the text, in proportion to its length.

import { dnsFault } from "./faults.ts"
import type { Token } from "./wire/text-tokens.ts"

export interface FileWord extends Token {
  readonly line: number
  readonly column: number
}

export interface FileEntry {
  readonly line: number
  /** It begins with a space: its owner is the one before. */
  readonly indented: boolean
  readonly words: readonly FileWord[]
}

const textMax = 256 * 1024 * 1024

export function* readEntries(text: string, file: string): Generator<FileEntry> {
  const refuse = (line: number, column: number, cause: string) =>
    dnsFault("SPT-DNS-008", { place: `${file}:${line}:${column}`, cause })
  if (text.length > textMax) throw refuse(1, 1, `it is longer than ${textMax} characters`)
  let words: FileWord[] = []
  let indented = false
  let depth: { readonly line: number; readonly column: number } | undefined
  let line = 1
  let lineStart = 0
  let at = 0
  let begun = false
  while (at < text.length) {
    const here = text[at]
    const column = at - lineStart + 1
    if (here === "\n") {
      at++
      line++
      lineStart = at
      if (depth !== undefined) continue
      if (words.length > 0) yield { line, indented, words }
      words = []
      begun = false
      continue
    }
    if (!begun) {
      begun = true
      indented = here === " " || here === "\t"
    }
    if (here === " " || here === "\t" || here === "\r") at++
    else if (here === ";") {
      const end = text.indexOf("\n", at)
      at = end < 0 ? text.length : end
    } else if (here === "(") {
      if (depth !== undefined) throw refuse(line, column, "a parenthesis is opened twice")
      depth = { line, column }
      at++
    } else if (here === ")") {
      if (depth === undefined) throw refuse(line, column, "a parenthesis is closed and not open")
      depth = undefined
      at++
    } else {
      const isQuote = here === '"'
      const end = isQuote ? quoteEnd(text, at + 1) : wordEnd(text, at)
      if (end === undefined) throw refuse(line, column, "a quote is not closed")
      const word = text.slice(isQuote ? at + 1 : at, end)
      words.push({ text: word, quoted: isQuote, line, column })
      at = isQuote ? end + 1 : end
    }
  }
  if (depth !== undefined) throw refuse(depth.line, depth.column, "a parenthesis is not closed")
  if (words.length > 0) yield { line, indented, words }
}

/** A quoted string ends on its own line. */
function quoteEnd(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\" && text[at + 1] !== "\n") at++
    else if (text[at] === '"') return at
    else if (text[at] === "\n") return undefined
  }
  return undefined
}

const ends = new Set([" ", "\t", "\r", "\n", ";", "(", ")"])

function wordEnd(text: string, from: number): number {
  let quoted = false
  for (let at = from; at < text.length; at++) {
    const here = text[at] ?? ""
    if (here === "\n") return at
    if (here === "\\" && text[at + 1] !== "\n") at++
    else if (here === '"') quoted = !quoted
    else if (!quoted && ends.has(here)) return at
  }
  return text.length
}
