// `setpoint source ...`: lets history pass that was written anew, or looks at a repository now.

import type { CliCommand } from "../command.ts"

export interface AcceptOptions {
  readonly reason: string
}

const help = `
A branch whose new commit does not descend from the one that the loop took is held: somebody
wrote history anew. Look at it, then accept exactly that commit. A missing signature or another
environment can't be accepted.

Example:
  setpoint source accept site 9f8e7d6c5b4a --reason "main was cleaned up, seen with ann"`

export const sourceCommand: CliCommand = {
  register(parser, cli) {
    const command = parser
      .command("source")
      .description("fetch a loop's repository now, or accept rewritten history")
      .addHelpText("after", help)
    const loop = "NAME or NAMESPACE.NAME"
    command
      .command("accept")
      .description("let one commit pass that does not follow the one before; for people only")
      .argument("<loop>", loop)
      .argument(
        "<commit>",
        "the one that status shows; its whole id, or 7 characters and more of it",
      )
      .requiredOption("--reason <text>", "why; kept in the journal")
      .action((id: string, commit: string, options: AcceptOptions) =>
        cli.run(async () => (await import("../run-source.ts")).accept(cli, id, commit, options)),
      )
    command
      .command("fetch")
      .description("look at the loop's source now")
      .argument("<loop>", loop)
      .action((id: string) =>
        cli.run(async () => (await import("../run-source.ts")).fetchNow(cli, id)),
      )
  },
}
