// `setpoint adopt KIND NAME`: take charge of a target that was there before.

import type { CliCommand } from "../command.ts"

export const adoptCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("adopt")
      .description(
        "take charge of a target that exists; its old content is backed up where it can be",
      )
      .argument("<kind>", "KIND NAME, or KIND/NAME")
      .argument("[name]")
      .action((kind: string, name: string | undefined) =>
        cli.run(async () => {
          const words = name === undefined ? [kind] : [kind, name]
          return (await import("../run-plans.ts")).adoptObject(cli, words)
        }),
      )
  },
}
