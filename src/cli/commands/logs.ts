// `setpoint logs [-f] KIND NAME`: what a process wrote.

import type { CliCommand } from "../command.ts"

export interface LogsOptions {
  readonly follow?: boolean
  readonly tail?: string
  readonly previous?: boolean
}

export const logsCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("logs")
      .description("what a process wrote, stdout and stderr together")
      .argument("<kind>", "KIND NAME, or KIND/NAME; NAME alone means a Process")
      .argument("[name]")
      .option("-f, --follow", "stay, and print what comes; also over restarts")
      .option("--tail <number>", "only so many of the last lines")
      .option("--previous", "of the run before the last one")
      .action((kind: string, name: string | undefined, options: LogsOptions) =>
        cli.run(async () => {
          const words = name === undefined ? [kind] : [kind, name]
          return (await import("../run-logs.ts")).runLogs(cli, words, options)
        }),
      )
  },
}
