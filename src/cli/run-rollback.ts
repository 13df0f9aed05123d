// Rolling a loop back, trying it, and ending it; says what is set aside, what waits and what does
// not come back.

import { at, isArray, type Json } from "../base/json.ts"
import type { Cli } from "./command.ts"
import { commandText } from "./command-text.ts"
import type { RollbackOptions } from "./commands/rollback.ts"
import { exitCode } from "./exit-codes.ts"
import { loopNamed } from "./loop-named.ts"
import { printData } from "./print-data.ts"
import { countsText, differenceLines } from "./render/difference-lines.ts"
import { printable } from "./render/printable.ts"

const path = "/setpoint/v1/rollback"
const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")

export async function rollback(cli: Cli, id: string, options: RollbackOptions): Promise<number> {
  const loop = loopNamed(id, cli.options())
  const { to, reason = "", dryRun = false } = options
  const answer = await cli.connect().call("POST", path, { loop, to, reason, dryRun })
  const held = text(at(answer, "plan"))
  const code = dryRun ? exitCode.differences : held === "" ? exitCode.ok : exitCode.held
  if (await printData(cli, answer)) return code
  const { terminal } = cli
  if (dryRun) {
    for (const line of differenceLines(at(answer, "differences"), terminal)) terminal.print(line)
  }
  const would = dryRun ? "would roll back" : "rolled back"
  terminal.print(`${would} ${loop} to ${to}: ${countsText(answer)}`)
  const revision = text(at(answer, "quarantined")).slice(0, 12)
  if (revision !== "") {
    const aside = dryRun ? "would be set aside" : "is set aside until the source shows another one"
    terminal.print(`revision ${revision} of the source ${aside}`)
  }
  const notes = at(answer, "notes")
  for (const note of isArray(notes) ? notes : []) terminal.print(`note: ${printable(text(note))}`)
  if (held !== "") {
    terminal.print(`some of it waits for a person: ${commandText(cli.options(), `plans ${held}`)}`)
  }
  if (!dryRun && revision !== "") {
    terminal.print(`to undo this: ${commandText(cli.options(), `rollback --end ${id}`)}`)
  }
  return code
}

export async function endRollback(cli: Cli, id: string, options: RollbackOptions) {
  const loop = loopNamed(id, cli.options())
  const { reason = "" } = options
  const answer = await cli.connect().call("POST", `${path}/end`, { loop, reason })
  if (await printData(cli, answer)) return exitCode.ok
  const was = `${text(at(answer, "checkpoint"))}; the source is used again`
  cli.terminal.print(`${loop} is no longer rolled back to ${was}`)
  return exitCode.ok
}
