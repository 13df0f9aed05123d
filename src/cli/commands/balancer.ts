// `setpoint balancer`: the program that the kind Balancer runs as its processes. People rarely
// start it themselves.

import type { CliCommand } from "../command.ts"

export interface BalancerCommandOptions {
  readonly config: string
  readonly health?: string
}

const help = `
A Balancer object starts this with a file that it keeps up to date; see docs/guides/process-sets.md.
The file is read again whenever it changes. SIGTERM lets the clients finish.

Example:
  setpoint balancer --config /srv/app/backends.json --health 7000`

export const balancerCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("balancer")
      .description("run a TCP load balancer by a file of backends (Balancer objects do this)")
      .requiredOption("--config <file>", "its backends and limits, as JSON")
      .option("--health <port>", "say on this port of 127.0.0.1 how it is")
      .addHelpText("after", help)
      .action((options: BalancerCommandOptions) =>
        cli.run(async () =>
          (await import("../run-balancer-command.ts")).runBalancerCommand(cli, options),
        ),
      )
  },
}
