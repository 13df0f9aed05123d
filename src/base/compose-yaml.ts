// From the tokens of a scanned text to its documents. Keys are not compared here: the library would
// compare each with all before it, so the caller looks for duplicates.

import type { Document, ParsedNode } from "yaml"
import type { Scan } from "./scan-yaml.ts"
import { yamlLibrary } from "./yaml-library.ts"

export interface ComposeOptions {
  readonly schema: "core" | "failsafe"
  readonly intAsBigInt?: boolean
  readonly stringKeys?: boolean
}

export function composeYaml(scan: Scan, options: ComposeOptions): Document.Parsed[] {
  const { Composer, Parser } = yamlLibrary()
  const parser = new Parser()
  const fixed = { merge: false, prettyErrors: false, uniqueKeys: false } as const
  const composer = new Composer<ParsedNode>({ ...options, ...fixed })
  function* tokens() {
    for (const lexeme of scan.lexemes) yield* parser.next(lexeme)
    yield* parser.end()
  }
  const documents = [...composer.compose(tokens())]
  const loose = composer.streamInfo().errors
  const last = documents.at(-1)
  if (last !== undefined) last.errors = last.errors.concat(loose)
  else if (loose.length > 0) return [...composer.end(true, 0)].map((document) => document)
  return documents as Document.Parsed[]
}
