// `setpoint import KIND...`: what exists, as manifests that adopt it. Reads this host itself, with
// or without a running plane, and changes nothing but the folder that --dir names.

import type { CliCommand } from "../command.ts"

export interface ImportOptions {
  readonly scope?: readonly string[]
  readonly dir?: string
  readonly force?: boolean
  readonly observe?: string
  readonly root?: readonly string[]
  readonly provider?: readonly string[]
}

const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value]

export const importCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("import")
      .description("what exists already, as manifests that adopt it; reads and changes nothing")
      .argument("<kind...>", "kinds, or all that the scopes are enough for")
      .option("--scope <name=value>", "where to look, for example path=/etc/app", collect)
      .option("--dir <dir>", "write one file for each object below this folder")
      .option("--force", "write over files that say something else")
      .option("--observe <loop>", "then let a loop of this name watch them and only report drift")
      .option("--root <dir>", "files may lie only below this directory (repeatable)", collect)
      .option("--provider <module>", "load kinds from this module (repeatable)", collect)
      .addHelpText(
        "after",
        "\nExamples:\n" +
          "  setpoint import file directory --scope path=/etc/app --dir site\n" +
          "  setpoint import all --scope path=/etc/app --observe baseline",
      )
      .action((kinds: readonly string[], options: ImportOptions) =>
        cli.run(async () => (await import("../run-import.ts")).runImport(cli, kinds, options)),
      )
  },
}
