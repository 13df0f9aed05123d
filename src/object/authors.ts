// Who asked for an object's spec by the API, as the plane itself wrote it down: an annotation of
// `NAME@GENERATION` words, oldest first. Admission writes it on every change of the spec and puts
// it back when anyone else touches it; a source is nobody's hand and leaves no name.

import type { ApiObject } from "./object.ts"

export const authorsAnnotation = "setpoint.dev/authors"

const authorsKept = 20

/** Before the name of who took the protection away; no name has a colon, for it is encoded. */
const unprotect = "unprotect:"

interface Author {
  readonly name: string
  readonly generation: number
}

function readAuthors(object: ApiObject | undefined): readonly Author[] {
  const text = object?.metadata.annotations?.[authorsAnnotation] ?? ""
  return text.split(" ").flatMap((word) => {
    if (word.startsWith(unprotect)) return []
    const at = word.lastIndexOf("@")
    const generation = Number(word.slice(at + 1))
    if (at <= 0 || !Number.isInteger(generation)) return []
    return [{ name: decodeName(word.slice(0, at)), generation }]
  })
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** People, services and agents who changed the spec after this generation; the newest last. */
export function authorsSince(object: ApiObject, generation: number): readonly string[] {
  const since = readAuthors(object).filter((author) => author.generation > generation)
  return since.map((author) => author.name)
}

/** Who took the protection of the object away, as long as it declares none. */
export function unprotectedBy(object: ApiObject | undefined): readonly string[] {
  const text = object?.metadata.annotations?.[authorsAnnotation] ?? ""
  const words = text.split(" ").filter((word) => word.startsWith(unprotect))
  return words.map((word) => decodeName(word.slice(unprotect.length)))
}

/** The annotation's text after one more change; undefined when there is none to write. */
export function authorsText(
  old: ApiObject | undefined,
  name: string | undefined,
  generation: number,
  lifted: readonly string[] = [],
): string | undefined {
  const before = readAuthors(old).filter((author) => author.name !== name)
  const after = name === undefined ? before : [...before, { name, generation }]
  const words = after
    .slice(-authorsKept)
    .map((one) => `${encodeURIComponent(one.name)}@${one.generation}`)
  const removals = [...new Set(lifted)].slice(-authorsKept)
  const all = [...words, ...removals.map((one) => `${unprotect}${encodeURIComponent(one)}`)]
  return all.length === 0 ? undefined : all.join(" ")
}
