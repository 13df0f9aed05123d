// `setpoint promote`: lets a loop that observes act, once it had its clean rounds. The plane
// decides whether it may; this only asks, and says how far the loop is.

import { at, toPlainJson } from "../../base/json.ts"
import { type ApiObject, setpointGroup, setpointVersion } from "../../object/object.ts"
import type { Cli, CliCommand } from "../command.ts"
import { exitCode } from "../exit-codes.ts"
import { cliFault } from "../faults.ts"
import { printData } from "../print-data.ts"

interface PromoteOptions {
  readonly to: string
  readonly now?: boolean
  readonly reason?: string
}

const loops = { group: setpointGroup, version: setpointVersion, resource: "loops" } as const

export const promoteCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("promote")
      .description("let a loop that observes act, after its clean rounds")
      .argument("<loop>", "name of the loop in the namespace")
      .option("--to <mode>", "Propose or Enforce", "Enforce")
      .option("--now", "before it had its clean rounds; needs --reason")
      .option("--reason <text>", "why; the loop carries it")
      .addHelpText(
        "after",
        "\nExample:\n  setpoint report site --since 3d\n  setpoint promote site",
      )
      .action((name: string, options: PromoteOptions) => cli.run(() => promote(cli, name, options)))
  },
}

async function promote(cli: Cli, name: string, options: PromoteOptions): Promise<number> {
  const { to, now, reason = "" } = options
  if (to !== "Propose" && to !== "Enforce") throw cliFault("SPT-CLI-040", { mode: to })
  if (now === true && reason.trim() === "") throw cliFault("SPT-CLI-041", { loop: name })
  const { namespace } = cli.options()
  const client = cli.connect()
  const ref = { ...loops, namespace, name }
  const annotations = { "setpoint.dev/promote-now": now === true ? reason : null }
  const patch = { metadata: { annotations }, spec: { mode: to } }
  const answer: ApiObject = await client.patch(ref, "merge", patch)
  if (await printData(cli, toPlainJson(answer))) return exitCode.ok
  const clean = Number(at(answer.status, "cleanRounds") ?? 0)
  cli.terminal.print(`loop ${namespace}.${name} is in mode ${to} now (${clean} clean rounds)`)
  return exitCode.ok
}
