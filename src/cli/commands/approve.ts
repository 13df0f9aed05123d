// `setpoint approve PLAN`: shows the plan and its hash, asks, and sends exactly the hash that was
// shown.

import type { CliCommand } from "../command.ts"

export interface ApproveOptions {
  readonly action?: readonly string[]
  readonly yes?: boolean
  readonly hash?: string
  readonly wait: boolean
  readonly timeout: string
}

const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value]

export const approveCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("approve")
      .description("let a held plan run, exactly as it was shown")
      .argument("<plan>")
      .option(
        "--action <digest>",
        "only this action, by the start of its digest (repeatable)",
        collect,
      )
      .option("-y, --yes", "do not ask")
      .option("--hash <hash>", "approve only if the plan still has this hash")
      .option("--no-wait", "do not wait until it is done")
      .option("--timeout <duration>", "how long to wait", "5m")
      .action((plan: string, options: ApproveOptions) =>
        cli.run(async () => (await import("../run-plans.ts")).approvePlan(cli, plan, options)),
      )
  },
}
