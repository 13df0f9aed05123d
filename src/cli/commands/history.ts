// `setpoint history [KIND NAME]`: what was done, when, by whom, why, field by field.

import type { CliCommand } from "../command.ts"

export interface HistoryOptions {
  readonly loop?: string
  readonly limit: string
  readonly since?: string
}

export const historyCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("history")
      .description("the journal: time, who, what, fields before and after, cause, result")
      .argument("[kind]", "KIND NAME, or KIND/NAME; without it everything")
      .argument("[name]")
      .option("--loop <loop>", "only this loop, as NAMESPACE.NAME or NAME")
      .option("--since <time>", "not older than this: 3d, 12h, or a time")
      .option("--limit <number>", "how many of the newest entries", "50")
      .action((kind: string | undefined, name: string | undefined, options: HistoryOptions) =>
        cli.run(async () => {
          const words = [kind, name].filter((word) => word !== undefined)
          return (await import("../run-history.ts")).runHistory(cli, words, options)
        }),
      )
  },
}
