// `setpoint notify NAME`: sends a test message through a Notifier.

import type { CliCommand } from "../command.ts"
import { exitCode } from "../exit-codes.ts"

export const notifyCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("notify")
      .description("send a test message through a Notifier, and say whether it arrived")
      .argument("<name>", "name of the Notifier")
      .action((name: string) =>
        cli.run(async () => {
          const { namespace } = cli.options()
          await cli.connect().call("POST", "/setpoint/v1/notifiers/test", { namespace, name })
          cli.terminal.print(`notifier ${name} took the test message`)
          return exitCode.ok
        }),
      )
  },
}
