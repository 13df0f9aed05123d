// `setpoint get KIND [NAME...]`: objects as a table, or whole.

import type { CliCommand } from "../command.ts"

export interface GetOptions {
  readonly selector?: string
  readonly allNamespaces?: boolean
  readonly watch?: boolean
}

export const getCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("get")
      .description("objects of a kind, or one by name (-o json|yaml|name|wide)")
      .argument("<kind>", "a kind: plural, singular, short name, NAME.GROUP; KIND/NAME; a,b; all")
      .argument("[names...]")
      .option("-l, --selector <labels>", "only objects with these labels, as a=b,c in (d,e)")
      .option("-A, --all-namespaces", "in every namespace")
      .option("-w, --watch", "go on and show every change")
      .addHelpText("after", "\nExamples:\n  setpoint get files\n  setpoint get file/motd -o yaml")
      .action((kind: string, names: string[], options: GetOptions) =>
        cli.run(async () => (await import("../run-get.ts")).runGet(cli, [kind, ...names], options)),
      )
  },
}
