// `setpoint history [KIND NAME]`: what was done, when, by whom, why, field by field.

import type { CliCommand } from "../command.ts"

export interface HistoryOptions {
  readonly loop?: string
  readonly limit: string
  readonly since?: string
  readonly until?: string
  readonly type?: string
  readonly verb?: string
  readonly cause?: string
  readonly by?: string
  readonly revision?: string
  readonly text?: string
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
      .option("--until <time>", "not younger than this")
      .option("--verb <verb>", "only acts of this verb: create, update, replace, delete, adopt")
      .option("--cause <cause>", "only acts of this cause: edit, drift, prune, rollback ...")
      .option("--by <name>", "only what somebody with this in their name did or asked for")
      .option("--revision <start>", "only what came from source revisions that begin so")
      .option("--type <type>", "only records of this type: receipt, held, plan, stop, source ...")
      .option("--text <text>", "only records that contain this anywhere")
      .option("--limit <number>", "how many of the newest entries", "50")
      .action((kind: string | undefined, name: string | undefined, options: HistoryOptions) =>
        cli.run(async () => {
          const words = [kind, name].filter((word) => word !== undefined)
          return (await import("../run-history.ts")).runHistory(cli, words, options)
        }),
      )
  },
}
