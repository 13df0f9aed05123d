// `setpoint dashboard`: a link that signs a browser on this host in, once.

import { at } from "../../base/json.ts"
import type { CliCommand } from "../command.ts"
import { exitCode } from "../exit-codes.ts"
import { printData } from "../print-data.ts"

export const dashboardCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("dashboard")
      .description("print a link to the plane's page that signs a browser in, once")
      .addHelpText("after", "\nExample:\n  setpoint dashboard")
      .action(() =>
        cli.run(async () => {
          const answer = await cli.connect().call("POST", "/setpoint/v1/dashboard/link", {})
          if (await printData(cli, answer)) return exitCode.ok
          cli.terminal.print(String(at(answer, "url")))
          return exitCode.ok
        }),
      )
  },
}
