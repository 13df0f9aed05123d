// Asking the plane about the keys of Secrets and showing what it answers. Keys themselves never
// leave the plane.

import { at, isArray } from "../base/json.ts"
import type { Cli } from "./command.ts"
import type { RotateOptions } from "./commands/secrets.ts"
import { exitCode } from "./exit-codes.ts"
import { printData } from "./print-data.ts"
import { printable } from "./render/printable.ts"

export async function keys(cli: Cli): Promise<number> {
  const answer = await cli.connect().call("GET", "/setpoint/v1/secrets")
  if (await printData(cli, answer)) return exitCode.ok
  const known = at(answer, "keys")
  for (const key of isArray(known) ? known : []) cli.terminal.print(printable(String(key)))
  const trouble = at(answer, "trouble")
  if (trouble !== undefined) cli.terminal.note(printable(String(trouble)))
  return exitCode.ok
}

export async function rotate(cli: Cli, { sameKey = false }: RotateOptions): Promise<number> {
  const body = { newKey: !sameKey }
  const answer = await cli.connect().call("POST", "/setpoint/v1/secrets/rotate", body)
  if (await printData(cli, answer)) return exitCode.ok
  const [key, count, lost] = ["key", "rewritten", "unreadable"].map((name) => at(answer, name))
  cli.terminal.print(`key ${key} is in use; ${count} stored values were encrypted again`)
  if (lost !== 0) cli.terminal.note(`${lost} stay as they are: their key is not known`)
  return exitCode.ok
}
