// Asking the plane to accept a revision or to look at a source now, and showing what it answers.

import { at, isArray, type Json } from "../base/json.ts"
import type { Client } from "../contract/client.ts"
import { isCommitId } from "../contract/git-source.ts"
import type { Cli } from "./command.ts"
import type { AcceptOptions } from "./commands/source.ts"
import { exitCode } from "./exit-codes.ts"
import { loopNamed } from "./loop-named.ts"
import { printData } from "./print-data.ts"
import { printable } from "./render/printable.ts"

const base = "/setpoint/v1/source"
const text = (value: Json | undefined): string =>
  typeof value === "string" ? printable(value) : ""

export async function accept(cli: Cli, id: string, revision: string, { reason }: AcceptOptions) {
  const loop = loopNamed(id, cli.options())
  const client = cli.connect()
  const body = { loop, revision: await wholeId(client, loop, revision), reason }
  const answer = await client.call("POST", `${base}/accept`, body)
  if (await printData(cli, answer)) return exitCode.ok
  cli.terminal.print(`accepted ${text(at(answer, "revision")).slice(0, 12)} for ${loop}`)
  return showSource(cli, answer)
}

const shortest = 7

/** The plane takes whole ids only. The beginning of the one that waits is completed, no other. */
async function wholeId(client: Client, loop: string, given: string): Promise<string> {
  const start = given.trim().toLowerCase()
  if (isCommitId(start) || start.length < shortest) return given
  const status = await client.call("GET", "/setpoint/v1/status")
  const loops = at(status, "loops")
  const found = isArray(loops) ? loops.find((one) => at(one, "id") === loop) : undefined
  const waiting = at(found, "source", "refusedRevision")
  return typeof waiting === "string" && waiting.startsWith(start) ? waiting : given
}

export async function fetchNow(cli: Cli, id: string): Promise<number> {
  const loop = loopNamed(id, cli.options())
  const answer = await cli.connect().call("POST", `${base}/fetch`, { loop })
  if (await printData(cli, answer)) return exitCode.ok
  return showSource(cli, answer)
}

function showSource({ terminal }: Cli, answer: Json): number {
  const source = at(answer, "source")
  const state = text(at(source, "state"))
  if (state === "good") {
    const revision = text(at(source, "revision")).slice(0, 12)
    const subject = text(at(source, "commit", "subject"))
    terminal.print(`revision ${revision}${subject === "" ? "" : `: ${subject}`}`)
    return exitCode.ok
  }
  terminal.print(`the source is ${state}; the last good revision stays in force`)
  const issues = at(source, "issues")
  for (const issue of isArray(issues) ? issues : []) terminal.print(`  ${text(issue)}`)
  if (text(at(source, "hint")) !== "") terminal.print(`  hint: ${text(at(source, "hint"))}`)
  return exitCode.failed
}
