// Machine-readable output: the same data as JSON or YAML, loaded only when asked for.

import { type Json, toPlainJson } from "../../base/json.ts"
import { jsonText } from "../../base/json-text.ts"
import type { Cli } from "../command.ts"

/** Prints the document when --output asks for one; false when people are to be served. */
export async function printDocument(cli: Cli, document: object): Promise<boolean> {
  const { output } = cli.options()
  if (output !== "json" && output !== "yaml") return false
  cli.terminal.print((await documentText(toPlainJson(document), output)).trimEnd())
  return true
}

export async function documentText(document: Json, output: "json" | "yaml"): Promise<string> {
  if (output === "json") return jsonText(document, 2)
  const { stringify } = await import("yaml")
  return stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 })
}
