// Follows the journal through the plane, asking only for what came since, until the person ends it.

import { sleep } from "../base/clock.ts"
import { isObject, type Json } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import { systemClock } from "../base/system.ts"
import type { Cli } from "./command.ts"
import { exitCode } from "./exit-codes.ts"
import { printable } from "./render/printable.ts"
import { loopName, readEntries } from "./run-history.ts"
import { journalLines } from "./running/journal-lines.ts"

const everyMs = 400
const perLook = 2000

export async function runWatch(cli: Cli, loop: string | undefined): Promise<number> {
  const client = cli.connect()
  const stop = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())
  const chosen = loop === undefined ? undefined : loopName(loop, cli.options().namespace)
  const look = async (after: string | undefined, limit: number) => {
    const query = new URLSearchParams({ limit: String(limit) })
    if (chosen !== undefined) query.set("loop", chosen)
    if (after !== undefined) query.set("after", after)
    return client.call("GET", `/setpoint/v1/history?${query}`)
  }
  const { output } = cli.options()
  const machine = output === "json" || output === "yaml"
  let answer = await look(undefined, 1)
  if (!machine) cli.terminal.note(`watching ${chosen ?? "all loops"}; end with Ctrl-C`)
  while (await sleep(systemClock, everyMs, stop.signal)) {
    const now = await look(headsText(answer), perLook)
    const entries = readEntries(now)
    if (machine) for (const entry of entries) cli.terminal.print(jsonText(entry))
    else for (const line of journalLines(entries)) cli.terminal.print(printable(line))
    answer = now
  }
  return exitCode.ok
}

function headsText(answer: Json): string {
  const heads = isObject(answer) && isObject(answer.heads) ? answer.heads : {}
  return Object.entries(heads)
    .map(([loop, sequence]) => `${loop}:${String(sequence)}`)
    .join(",")
}
