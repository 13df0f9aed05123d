// `setpoint pause KIND/NAME --for 2h`: a stop of one object that ends by itself.

import type { CliCommand } from "../command.ts"
import { pauseMaxMs, stopUntil } from "../stop-scope.ts"
import { stop } from "./stop.ts"

export const pauseCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("pause")
      .description("leave one object alone for a time; it is observed and not acted on")
      .argument("<kind>", "KIND NAME, or KIND/NAME")
      .argument("[name]")
      .option("--for <duration>", "how long, at most 30d", "1h")
      .option("--reason <text>", "why; shown in status and kept in the journal")
      .addHelpText(
        "after",
        "\nExample:\n  setpoint pause file/motd --for 2h\n  setpoint resume file/motd",
      )
      .action((kind: string, name: string | undefined, options: { for: string; reason?: string }) =>
        cli.run(async () => {
          const object = name === undefined ? kind : `${kind}/${name}`
          const until = stopUntil(options.for, Date.now(), pauseMaxMs)
          const why = options.reason === undefined ? {} : { reason: options.reason }
          return stop(cli, { loop: "*", object, scope: "all", until, ...why })
        }),
      )
  },
}
