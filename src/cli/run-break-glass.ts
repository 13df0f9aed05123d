// Breaking the glass of a loop and ending that, on the command line.

import { at } from "../base/json.ts"
import { loopId } from "../contract/loop.ts"
import type { Cli } from "./command.ts"
import { commandText } from "./command-text.ts"
import type { BreakGlassOptions } from "./commands/break-glass.ts"
import { exitCode } from "./exit-codes.ts"
import { printData } from "./print-data.ts"
import { printable } from "./render/printable.ts"

const path = "/setpoint/v1/break-glass"

export async function breakGlass(cli: Cli, name: string, options: BreakGlassOptions) {
  const loop = name.includes(".") ? name : loopId(cli.options().namespace, name)
  const { terminal } = cli
  const client = cli.connect()
  if (options.end === true) {
    const ended = await client.call("POST", `${path}/end`, { loop })
    if (await printData(cli, ended)) return exitCode.ok
    const used = Number(at(ended, "deletes")) - Number(at(ended, "deletesLeft"))
    terminal.print(`the break-glass of ${loop} is ended; ${used} destroyed under it`)
    return exitCode.ok
  }
  const { reason = "", deletes } = options
  const asked = { loop, for: options.for, reason, deletes: Number(deletes) }
  const glass = await client.call("POST", path, asked)
  if (await printData(cli, glass)) return exitCode.ok
  terminal.print(terminal.paint("red", `BREAK-GLASS: ${printable(String(at(glass, "text")))}`))
  terminal.print(`to end it: ${commandText(cli.options(), `break-glass --end ${loop}`)}`)
  return exitCode.ok
}
