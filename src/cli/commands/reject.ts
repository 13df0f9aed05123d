// `setpoint reject PLAN`: nothing of it is done, and it is not asked again until something changes.

import type { CliCommand } from "../command.ts"

export const rejectCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("reject")
      .description("refuse a held plan; it is not asked again until its declaration changes")
      .argument("<plan>")
      .action((plan: string) =>
        cli.run(async () => (await import("../run-plans.ts")).rejectPlan(cli, plan)),
      )
  },
}
