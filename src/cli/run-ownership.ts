// Decisions about ownership: release, move, detach. The plane decides whether they may be; this
// only asks, and says what came of it.

import { at, type Json, type JsonObject } from "../base/json.ts"
import type { Cli } from "./command.ts"
import { commandText } from "./command-text.ts"
import type { DetachOptions } from "./commands/detach.ts"
import type { MoveOptions } from "./commands/move.ts"
import type { ReleaseOptions } from "./commands/release.ts"
import { exitCode } from "./exit-codes.ts"
import { printData } from "./print-data.ts"
import { printable } from "./render/printable.ts"
import { findObject, keyOf, type NamedObject, servedKinds } from "./resolve-kinds.ts"

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")

async function ask(
  cli: Cli,
  words: readonly string[],
  path: string,
  body: JsonObject,
): Promise<{ readonly named: NamedObject; readonly answer: Json; readonly printed: boolean }> {
  const client = cli.connect()
  const named = findObject(await servedKinds(client), words)
  const object = keyOf(named, cli.options().namespace)
  const answer = await client.call("POST", path, { object, ...body })
  return { named, answer, printed: await printData(cli, answer) }
}

const nameOf = ({ kind, name }: NamedObject): string => `${kind.kind} ${name}`

export async function runRelease(
  cli: Cli,
  words: readonly string[],
  { orphan, reason }: ReleaseOptions,
): Promise<number> {
  const body = { orphan: orphan === true, reason }
  const { named, answer, printed } = await ask(cli, words, "/setpoint/v1/release", body)
  if (printed) return exitCode.ok
  const { terminal } = cli
  const gone = at(answer, "gone") === true
  const what = gone ? "is gone" : "is stored and no longer acted on"
  terminal.print(printable(`${nameOf(named)} ${what}; its target is left as it is`))
  if (at(answer, "owned") !== true) return exitCode.ok
  terminal.print(printable(`${text(at(answer, "target"))} is an orphan now`))
  terminal.print(`to see it: ${commandText(cli.options(), "inventory --orphans")}`)
  return exitCode.ok
}

/** `site` means a loop of the namespace at hand. */
export function loopName(cli: Cli, name: string): string {
  return name.includes(".") ? name : `${cli.options().namespace}.${name}`
}

export async function runMove(
  cli: Cli,
  words: readonly string[],
  { to, reason }: MoveOptions,
): Promise<number> {
  const body = { to: loopName(cli, to), reason }
  const { named, answer, printed } = await ask(cli, words, "/setpoint/v1/move", body)
  if (printed) return exitCode.ok
  const [from, into] = ["from", "to"].map((name) => text(at(answer, name)))
  cli.terminal.print(printable(`${nameOf(named)} went from loop ${from} to ${into}`))
  const source = text(at(answer, "source"))
  if (source !== "") {
    cli.terminal.print(
      printable(
        `it is still declared at ${source}: move that manifest too, or ${from} stays invalid`,
      ),
    )
  }
  return exitCode.ok
}

export async function runDetach(
  cli: Cli,
  name: string,
  fields: readonly string[],
  { back, reason }: DetachOptions,
): Promise<number> {
  const body = { fields, back: back === true, reason }
  const { named, answer, printed } = await ask(cli, [name], "/setpoint/v1/detach", body)
  if (printed) return exitCode.ok
  const away = at(answer, "detached")
  const names = Array.isArray(away) ? away.map(text).join(", ") : ""
  const says = names === "" ? "every field is its source's" : `its source leaves ${names} alone`
  cli.terminal.print(printable(`${nameOf(named)}: ${says}`))
  return exitCode.ok
}
