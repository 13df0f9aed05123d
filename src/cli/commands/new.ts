// `setpoint new provider NAME`: the files of a new provider, ready to run and to be examined.

import type { CliCommand } from "../command.ts"

export const newCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("new")
      .description("start something new: provider NAME")
      .argument("<what>", "provider")
      .argument("<name>", "lower case, with dashes")
      .option("--dir <dir>", "where to put it; by default a folder of that name")
      .action((what: string, name: string, options: { dir?: string }) =>
        cli.run(async () => (await import("../run-new.ts")).runNew(cli, what, name, options.dir)),
      )
  },
}
