// `setpoint status`: how the plane and its loops stand.

import type { CliCommand } from "../command.ts"
import { exitCode } from "../exit-codes.ts"

export const statusCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("status")
      .description("loops, counts, the oldest object that is not converged, and why")
      .action(() =>
        cli.run(async () => {
          const status = await cli.connect().call("GET", "/setpoint/v1/status")
          cli.terminal.print(JSON.stringify(status, null, 2))
          return exitCode.ok
        }),
      )
  },
}
