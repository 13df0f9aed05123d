// `setpoint lease run NAME -- PROGRAM ...`: of all who ask, one runs its program at a time.

import type { CliCommand } from "../command.ts"

const help = `
The lease is given back when the program ends. When the plane can't be reached for ten seconds the
program is ended (SIGTERM, then SIGKILL) before anybody else may begin. SETPOINT_FENCE is the number
of its term: it grows with every change of leader.

Example:
  setpoint lease run nightly-report -- /usr/local/bin/report --all`

export const leaseCommand: CliCommand = {
  register(parser, cli) {
    const lease = parser.command("lease").description("one at a time, agreed on by a Lease object")
    lease
      .command("run")
      .description("wait for the lease, run a program while it is held")
      .argument("<name>", "of the Lease, in the namespace")
      .argument("<program...>", "the program and its arguments, after --")
      .addHelpText("after", help)
      .action((name: string, program: string[]) =>
        cli.run(async () => (await import("../run-lease.ts")).runLease(cli, name, program)),
      )
  },
}
