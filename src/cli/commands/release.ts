// `setpoint release KIND NAME`: stop keeping a target and leave it as it is.

import type { CliCommand } from "../command.ts"

export interface ReleaseOptions {
  readonly orphan?: boolean
  readonly reason: string
}

export const releaseCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("release")
      .description(
        "stop keeping an object's target and leave it as it is; it stays in the inventory",
      )
      .argument("<kind>", "KIND NAME, or KIND/NAME")
      .argument("[name]")
      .requiredOption("--reason <text>", "why; it stands in the journal")
      .option("--orphan", "also when the object is being deleted: it goes, its target is left over")
      .addHelpText(
        "after",
        "\nExample:\n  setpoint release file motd --orphan --reason 'its disk is gone'",
      )
      .action((kind: string, name: string | undefined, options: ReleaseOptions) =>
        cli.run(async () => {
          const words = name === undefined ? [kind] : [kind, name]
          return (await import("../run-ownership.ts")).runRelease(cli, words, options)
        }),
      )
  },
}
