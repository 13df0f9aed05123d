// Runs a program while a lease is held. Losing the lease ends the program before another holder may
// begin; the program is started as it is, without a shell.

import { spawn } from "node:child_process"
import { hostname } from "node:os"
import { hex } from "../base/random.ts"
import { systemClock, systemRandom } from "../base/system.ts"
import { leadOnce, type Term } from "../client/leader-election.ts"
import type { Cli } from "./command.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"

/** Less than is left between losing the lease and its end for others. */
const graceMs = 3000
const endings = ["SIGINT", "SIGTERM"] as const

export async function runLease(
  cli: Cli,
  name: string,
  program: readonly string[],
): Promise<number> {
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  for (const signal of endings) process.on(signal, onSignal)
  let code: number = exitCode.failed
  try {
    const client = cli.connect()
    const { namespace } = cli.options()
    const identity = `${hostname()}-${process.pid}-${hex(systemRandom.bytes(4))}`
    const place = { namespace, name, identity }
    const result = await leadOnce(
      { client, clock: systemClock, random: systemRandom, ...place },
      async (term) => {
        code = await runProgram(program, term)
      },
      stop.signal,
    )
    if (result === "lost") {
      cli.terminal.note(`lost the lease ${name}: the program was ended`)
      return exitCode.failed
    }
    return result === "stopped" ? exitCode.failed : code
  } finally {
    for (const signal of endings) process.off(signal, onSignal)
  }
}

function runProgram([file = "", ...args]: readonly string[], term: Term): Promise<number> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, SETPOINT_FENCE: String(term.fence) }
    const child = spawn(file, args, { stdio: "inherit", env })
    let killer: NodeJS.Timeout | undefined
    const end = () => {
      child.kill("SIGTERM")
      killer = setTimeout(() => child.kill("SIGKILL"), graceMs)
    }
    term.signal.addEventListener("abort", end, { once: true })
    child.once("error", (error) => {
      const hint = "name a program that can be run, after --"
      reject(cliFault("SPT-CLI-002", { what: file, why: error.message, hint }, error))
    })
    child.once("close", (code) => {
      clearTimeout(killer)
      term.signal.removeEventListener("abort", end)
      resolve(code ?? exitCode.failed)
    })
  })
}
