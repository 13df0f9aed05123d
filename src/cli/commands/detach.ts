// `setpoint detach KIND NAME [FIELDS...]`: a source gives fields away, so that others may set them.

import type { CliCommand } from "../command.ts"

export interface DetachOptions {
  readonly back?: boolean
  readonly reason: string
}

export const detachCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("detach")
      .description("give fields that a source declares away, so that others may set them")
      .argument("<kind/name>", "KIND/NAME")
      .argument("[fields...]", "such as spec.content; the whole spec when none is named")
      .requiredOption("--reason <text>", "why; it stands in the journal")
      .option("--back", "the source sets them again from its next revision on")
      .addHelpText(
        "after",
        "\nExample:\n  setpoint detach file/motd content --reason 'the night shift edits it'",
      )
      .action((name: string, fields: readonly string[], options: DetachOptions) =>
        cli.run(async () =>
          (await import("../run-ownership.ts")).runDetach(cli, name, fields, options),
        ),
      )
  },
}
