// `setpoint backup FILE`: a consistent copy of the store in one file, with a plane running or not;
// `--verify` looks at one that is there instead.

import type { CliCommand } from "../command.ts"
import { exitCode } from "../exit-codes.ts"
import { printData } from "../print-data.ts"

const help = `
The secret key is not in it; keep a copy of that elsewhere.

Example:
  setpoint backup /backups/plane-monday.db
  setpoint backup --verify /backups/plane-monday.db`

export const backupCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("backup")
      .description("copy the store into FILE, consistently, while the plane runs")
      .argument("<file>", "a file that does not exist yet; with --verify one that does")
      .option("--verify", "look at every row and journal of a backup, and change nothing")
      .addHelpText("after", help)
      .action((file: string, options: { readonly verify?: boolean }) =>
        cli.run(async () => {
          if (options.verify === true) {
            return (await import("../run-verify-backup.ts")).verifyFile(cli, file)
          }
          const { backupStore } = await import("../../store/engines/backup.ts")
          const { sizeText } = await import("../doctor/check-host.ts")
          const result = await backupStore(cli.options().data, file)
          if (await printData(cli, { ...result })) return exitCode.ok
          const { planeId, revision, bytes } = result
          cli.terminal.print(
            `wrote ${result.file}: plane ${planeId} at revision ${revision}, ${sizeText(bytes)}`,
          )
          return exitCode.ok
        }),
      )
  },
}
