// Runs a plane in this process until it is told to end. SIGTERM and SIGINT end it in order: no act
// begins any more, what is under way finishes, the rest goes on at the next start.

import { systemClock } from "../base/system.ts"
import { type LocalPlane, openLocalPlane } from "../plane/adapters/open-local-plane.ts"
import { newLogger } from "../telemetry/logger.ts"
import type { Cli } from "./command.ts"
import { exitCode } from "./exit-codes.ts"
import { version } from "./version.ts"

export interface RunPlaneOptions {
  readonly root?: readonly string[]
  readonly provider?: readonly string[]
  readonly keyFile?: string
  readonly listen?: number
}

export async function runPlane(
  cli: Cli,
  options: RunPlaneOptions,
  opened: (local: LocalPlane) => Promise<void>,
): Promise<number> {
  const { data } = cli.options()
  const local = await openLocalPlane({
    directory: data,
    version,
    logger: newLogger({
      clock: systemClock,
      level: "warn",
      sink: (line) => cli.terminal.note(line),
    }),
    onFatal: (fault) => {
      cli.terminal.note(`error: ${fault.message} [${fault.code}]`)
      process.exit(exitCode.failed)
    },
    ...(options.root === undefined ? {} : { roots: options.root }),
    ...(options.provider === undefined ? {} : { providers: options.provider }),
    ...(options.keyFile === undefined ? {} : { keyFile: options.keyFile }),
    ...(options.listen === undefined ? {} : { port: options.listen }),
  })
  await opened(local)
  const signal = await endSignal()
  cli.terminal.note(`${signal}: ending; acts under way finish first (again to end at once)`)
  await local.close()
  return exitCode.ok
}

function endSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        resolve(signal)
        process.once(signal, () => process.exit(exitCode.failed))
      })
    }
  })
}
