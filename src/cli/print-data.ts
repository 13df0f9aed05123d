// Machine-readable output: JSON or YAML of a plain value, as `--output` asks.

import type { Json } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import type { Cli } from "./command.ts"

/** False when no format was asked for: then the caller prints for people. */
export async function printData(cli: Cli, value: Json): Promise<boolean> {
  const { output } = cli.options()
  if (output !== "json" && output !== "yaml") return false
  if (output === "json") cli.terminal.print(jsonText(value, 2))
  else cli.terminal.print((await import("yaml")).stringify(value).trimEnd())
  return true
}
