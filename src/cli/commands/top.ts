// `setpoint top`: the loops live: what waits, what is done, how long it takes.

import type { CliCommand } from "../command.ts"

export interface TopOptions {
  readonly once?: boolean
}

const help = `
Rates are those of the last minute. CONVERGE is the mean time until an object was as declared.
Without a terminal it prints once and ends; -o json gives the last 15 minutes as columns.

Example:
  setpoint top site`

export const topCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("top")
      .description("the loops live: what waits, what is done, how long it takes")
      .argument("[loop]", "NAME, or NAMESPACE.NAME")
      .option("--once", "print once and end")
      .addHelpText("after", help)
      .action((loop: string | undefined, options: TopOptions) =>
        cli.run(async () => (await import("../run-top.ts")).runTop(cli, loop, options)),
      )
  },
}
