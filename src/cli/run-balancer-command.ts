// Runs `setpoint balancer` until it is told to stop; a second signal ends it at once.

import { resolve } from "node:path"
import { runBalancer } from "../providers/process/adapter/balancer/run-balancer.ts"
import type { Cli } from "./command.ts"
import type { BalancerCommandOptions } from "./commands/balancer.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"

export async function runBalancerCommand(
  { terminal }: Cli,
  options: BalancerCommandOptions,
): Promise<number> {
  const health = options.health === undefined ? undefined : portOf(options.health)
  const stop = new AbortController()
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(exitCode.ok)
      stop.abort()
    })
  }
  await runBalancer({
    config: resolve(options.config),
    ...(health === undefined ? {} : { health }),
    say: (line) => terminal.note(line),
    signal: stop.signal,
  })
  return exitCode.ok
}

function portOf(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= 65_535) return port
  const why = `${text} is no port`
  throw cliFault("SPT-CLI-002", { what: "--health", why, hint: "a number from 1 to 65535" })
}
