// `setpoint report LOOP`: what a loop did, or would have done; with --compliance how long its
// objects were as declared.

import type { CliCommand } from "../command.ts"

export interface ReportOptions {
  readonly since?: string
  readonly compliance?: boolean
  readonly object?: string
}

const help = `
Times in which no plane ran, or a target could not be read, count as unobserved: neither in nor out.

Examples:
  setpoint report site --since 3d
  setpoint report site --compliance --since 30d
  setpoint report site --compliance --object file/motd`

export const reportCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("report")
      .description("what a loop did, held or would have done; how long objects were as declared")
      .argument("<loop>", "NAMESPACE.NAME or NAME")
      .option("--since <time>", "3d, 12h, or a time (default 3d, with --compliance 30d)")
      .option("--compliance", "time in and out of the declared state, per object")
      .option("--object <object>", "only this one, with all of its outages; KIND/NAME")
      .addHelpText("after", help)
      .action((loop: string, options: ReportOptions) =>
        cli.run(async () => (await import("../run-report.ts")).runReport(cli, loop, options)),
      )
  },
}
