// `setpoint status`: how the plane and its loops stand.

import type { CliCommand } from "../command.ts"
import { commandText } from "../command-text.ts"
import { exitCode } from "../exit-codes.ts"
import { printData } from "../print-data.ts"

export const statusCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("status")
      .description("loops, counts, the oldest object that is not converged, and why")
      .addHelpText("after", "\nExample:\n  setpoint status -o json")
      .action(() =>
        cli.run(async () => {
          const status = await cli.connect().call("GET", "/setpoint/v1/status")
          if (await printData(cli, status)) return exitCode.ok
          const { statusLines } = await import("../running/status-lines.ts")
          const command = (words: string) => commandText(cli.options(), words)
          const { terminal } = cli
          const lines = statusLines(status, { terminal, command, now: Date.now() })
          for (const line of lines) terminal.print(line)
          return exitCode.ok
        }),
      )
  },
}
