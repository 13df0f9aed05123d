// `setpoint explain KIND NAME`: is it as declared, and if not, why and what to do.

import type { CliCommand } from "../command.ts"

export const explainCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("explain")
      .description("is it as declared; if not, why, what waits, and what to do next")
      .argument("<kind>", "KIND NAME, or KIND/NAME")
      .argument("[name]")
      .action((kind: string, name: string | undefined) =>
        cli.run(async () => {
          const words = name === undefined ? [kind] : [kind, name]
          return (await import("../run-explain.ts")).runExplain(cli, words)
        }),
      )
  },
}
