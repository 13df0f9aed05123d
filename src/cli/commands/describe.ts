// `setpoint describe KIND NAME`: one object for people, with its conditions and events.

import type { CliCommand } from "../command.ts"

export const describeCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("describe")
      .description("one object in full, with its conditions and events")
      .argument("<kind>", "KIND NAME..., or KIND/NAME...")
      .argument("[names...]")
      .action((kind: string, names: string[]) =>
        cli.run(async () =>
          (await import("../run-describe.ts")).runDescribe(cli, [kind, ...names]),
        ),
      )
  },
}
