// Shows how the loops are doing, again and again until the person ends it; once where nobody looks.

import { sleep } from "../base/clock.ts"
import { systemClock } from "../base/system.ts"
import type { Cli } from "./command.ts"
import type { TopOptions } from "./commands/top.ts"
import { exitCode } from "./exit-codes.ts"
import { loopNamed } from "./loop-named.ts"
import { printData } from "./print-data.ts"
import { topLines } from "./render/top-lines.ts"

const everyMs = 2000
const clear = "\u001b[H\u001b[2J"

export async function runTop(
  cli: Cli,
  loop: string | undefined,
  options: TopOptions,
): Promise<number> {
  const client = cli.connect()
  const only = loop === undefined ? undefined : loopNamed(loop, cli.options())
  const query = only === undefined ? "" : `?${new URLSearchParams({ loop: only })}`
  const series = () => client.call("GET", `/setpoint/v1/series${query}`)
  if (await printData(cli, await series())) return exitCode.ok
  const { terminal } = cli
  const stop = new AbortController()
  const lives = terminal.interactive && options.once !== true
  if (lives) {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())
  }
  do {
    const status = await client.call("GET", "/setpoint/v1/status")
    const lines = topLines(await series(), status, terminal, only)
    terminal.print(lives ? `${clear}${lines.join("\n")}` : lines.join("\n"))
  } while (lives && (await sleep(systemClock, everyMs, stop.signal)))
  return exitCode.ok
}
