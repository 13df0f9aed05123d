// `setpoint plans [PLAN]`: what is held and waits for a person.

import type { CliCommand } from "../command.ts"

export const plansCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("plans")
      .description("held actions that wait for a person; with a name, every action of that plan")
      .argument("[plan]")
      .option("--all", "ended ones as well")
      .option("--page <number>", "of the actions, from 1", "1")
      .action((plan: string | undefined, options: { all?: boolean; page: string }) =>
        cli.run(async () => {
          const { showPlan, showPlans } = await import("../run-plans.ts")
          if (plan === undefined) return showPlans(cli, options.all === true)
          return showPlan(cli, plan, Number(options.page) || 1)
        }),
      )
  },
}
