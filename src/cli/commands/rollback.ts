// `setpoint rollback LOOP`: returns a loop to a checkpoint; the source revision in force is set
// aside until the source shows another one.

import type { CliCommand } from "../command.ts"

export interface RollbackOptions {
  readonly to: string
  readonly reason?: string
  readonly dryRun?: boolean
  readonly end?: boolean
}

const help = `
What it deletes is judged as always: over the limits it waits as a plan. Specs come back; data
that was destroyed does not.

Example:
  setpoint rollback site --dry-run
  setpoint rollback site --to last-good-1 --reason "wrong branch"
  setpoint rollback --end site`

export const rollbackCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("rollback")
      .description("return a loop to a checkpoint, and set the bad source revision aside")
      .argument("<loop>", "NAME or NAMESPACE.NAME")
      .option("--to <checkpoint>", "return to this one", "last-good")
      .option("--reason <text>", "why; shown in status and kept in the journal")
      .option("--dry-run", "only say what would change")
      .option("--end", "use the source again, whatever it shows")
      .addHelpText("after", help)
      .action((loop: string, options: RollbackOptions) =>
        cli.run(async () => {
          const { endRollback, rollback } = await import("../run-rollback.ts")
          if (options.end === true) return endRollback(cli, loop, options)
          return rollback(cli, loop, options)
        }),
      )
  },
}
