// The grammar of field selectors: terms between commas, `field=value`, `field==value` and
// `field!=value`. In a value a backslash stands before a backslash, a comma and an equals sign;
// what is not written so is not understood, and never guessed.

export interface FieldTerm {
  readonly field: string
  /** False: the field has any other value. */
  readonly is: boolean
  readonly value: string
}

/**
 * Undefined when it is not understood, which is also a selector without any term: that would select
 * everything. Whitespace counts, as it does in a value; an empty term beside others says nothing.
 */
export function parseFieldSelector(text: string): readonly FieldTerm[] | undefined {
  const terms: FieldTerm[] = []
  for (const part of splitTerms(text)) {
    if (part === "") continue
    const term = parseTerm(part)
    if (term === undefined) return undefined
    terms.push(term)
  }
  return terms.length === 0 ? undefined : terms
}

/** At commas that no backslash stands before. */
function splitTerms(text: string): string[] {
  const parts: string[] = []
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === ",") {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, text.slice(start)]
}

function parseTerm(text: string): FieldTerm | undefined {
  const equals = text.indexOf("=")
  if (equals <= 0) return undefined
  const isNot = text[equals - 1] === "!"
  const field = text.slice(0, isNot ? equals - 1 : equals)
  const from = !isNot && text[equals + 1] === "=" ? equals + 2 : equals + 1
  const value = unescaped(text.slice(from))
  return value === undefined || field === "" ? undefined : { field, is: !isNot, value }
}

function unescaped(text: string): string | undefined {
  let value = ""
  for (let at = 0; at < text.length; at++) {
    const mark = text[at] ?? ""
    if (mark === "," || mark === "=") return undefined
    if (mark !== "\\") {
      value += mark
      continue
    }
    const next = text[++at] ?? ""
    if (next !== "\\" && next !== "," && next !== "=") return undefined
    value += next
  }
  return value
}

/** A term for a value that may be anything. */
export const fieldTerm = (field: string, value: string): string =>
  `${field}=${value.replaceAll(/[\\,=]/g, (mark) => `\\${mark}`)}`

/** The name that an object must have to be selected; undefined when several names may be. */
export const oneNameOf = (terms: readonly FieldTerm[]): string | undefined =>
  terms.find(({ field, is }) => is && field === "metadata.name")?.value
