// Asks the plane about one object and says it in prose.

import { isObject } from "../base/json.ts"
import type { Cli } from "./command.ts"
import { exitCode } from "./exit-codes.ts"
import { printDocument } from "./render/document.ts"
import { explainLines, readExplanation } from "./render/explain-lines.ts"
import { findObject, keyOf, servedKinds } from "./resolve-kinds.ts"

export async function runExplain(cli: Cli, words: readonly string[]): Promise<number> {
  const client = cli.connect()
  const named = findObject(await servedKinds(client), words)
  const key = keyOf(named, cli.options().namespace)
  const answer = await client.call("GET", `/setpoint/v1/explain?object=${encodeURIComponent(key)}`)
  const view = isObject(answer) ? answer : {}
  if (await printDocument(cli, view)) return exitCode.ok
  const lines = explainLines(readExplanation(view), cli.terminal, cli.options(), Date.now())
  cli.terminal.print(lines.join("\n"))
  return exitCode.ok
}
