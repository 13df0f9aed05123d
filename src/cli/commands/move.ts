// `setpoint move KIND NAME --to LOOP`: another loop keeps the object from now on.

import type { CliCommand } from "../command.ts"

export interface MoveOptions {
  readonly to: string
  readonly reason: string
}

export const moveCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("move")
      .description("let another loop keep an object; its target is not touched")
      .argument("<kind>", "KIND NAME, or KIND/NAME")
      .argument("[name]")
      .requiredOption("--to <loop>", "NAME, or NAMESPACE.NAME")
      .requiredOption("--reason <text>", "why; it stands in the journals of both loops")
      .action((kind: string, name: string | undefined, options: MoveOptions) =>
        cli.run(async () => {
          const words = name === undefined ? [kind] : [kind, name]
          return (await import("../run-ownership.ts")).runMove(cli, words, options)
        }),
      )
  },
}
