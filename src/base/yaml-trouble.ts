// What a YAML text has against it, in words that never repeat the text: it may be that of a Secret,
// and an unquoted `>pa55` or `!pa55` is an error that the library would quote. The place says the
// rest. Messages of the library are passed on only where they are the same for every text.

import type { ErrorCode, YAMLError } from "yaml"
import type { ScanFinding } from "./scan-yaml.ts"

const fixed: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(["ALIAS_PROPS", "BAD_ALIAS", "BAD_INDENT", "BLOCK_AS_IMPLICIT_KEY"] as const),
  ...(["BLOCK_IN_FLOW", "KEY_OVER_1024_CHARS", "MISSING_CHAR", "MULTILINE_IMPLICIT_KEY"] as const),
  ...(["MULTIPLE_ANCHORS", "MULTIPLE_TAGS", "NON_STRING_KEY", "TAB_AS_INDENT"] as const),
])

const own: Partial<Record<ErrorCode, string>> = {
  BAD_DQ_ESCAPE: "an unknown escape between double quotes",
  BAD_SCALAR_START: "a value that begins with a reserved sign (quote it)",
  UNEXPECTED_TOKEN: "something that YAML does not allow here (a value that must be quoted?)",
}

export function yamlTrouble({ code, message }: YAMLError): string {
  if (fixed.has(code)) return (message.split("\n")[0] ?? "").slice(0, 200)
  return own[code] ?? "something that can't be read"
}

/** "an anchor", "a tag" ...: for what the scan refuses by its kind alone. */
export function refusedSyntax(what: ScanFinding["what"]): string {
  return /^[aeiou]/.test(what) ? `an ${what}` : `a ${what}`
}
