// `setpoint restore FILE`: a new data directory from a backup. Never writes into one that has
// content.

import type { CliCommand } from "../command.ts"
import { commandText } from "../command-text.ts"
import { exitCode } from "../exit-codes.ts"
import { printData } from "../print-data.ts"

export const restoreCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("restore")
      .description("make the data directory --data from a backup file")
      .argument("<file>", "a file that `setpoint backup` wrote")
      .addHelpText("after", "\nExample:\n  setpoint restore plane-monday.db --data ./restored")
      .action((file: string) =>
        cli.run(async () => {
          const { restoreBackup } = await import("../../store/engines/restore.ts")
          const { systemClock } = await import("../../base/system.ts")
          const options = cli.options()
          const result = restoreBackup(file, options.data, { clock: systemClock })
          if (await printData(cli, { ...result })) return exitCode.ok
          const { terminal } = cli
          terminal.print(`restored plane ${result.planeId} into ${result.directory}`)
          terminal.print("deletes and replacements wait until everything was observed once")
          terminal.print(`start it: ${commandText(options, "up PATH")}`)
          return exitCode.ok
        }),
      )
  },
}
