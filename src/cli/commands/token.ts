// `setpoint token create|list|revoke`: who besides the owner may speak to the plane, and as what.

import type { Command as Parser } from "commander"
import type { Cli, CliCommand } from "../command.ts"

export interface TokenOptions {
  readonly kind: string
  readonly for: string
  readonly file?: string
  readonly group?: readonly string[]
}

const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value]

const help = `
The token is shown once; only its hash is kept, in DIR/tokens.json. Use it with --token FILE or in
the environment variable SETPOINT_TOKEN. Only tokens of kind human approve plans.

Example:
  setpoint token create bob --kind human --for 30d --file bob.token
  setpoint token create deploy --kind service --group payments
  setpoint token create prometheus --kind monitor --file prometheus.token`

export const tokenCommand: CliCommand = {
  register(parser, cli) {
    const token = parser.command("token").description("let other people, services and agents in")
    createCommand(token, cli)
    token
      .command("list")
      .description("names, kinds and when they expire; never the tokens themselves")
      .action(() => cli.run(async () => (await import("../run-token.ts")).listTokens(cli)))
    token
      .command("revoke")
      .description("from now on this token opens nothing")
      .argument("<name>")
      .action((name: string) =>
        cli.run(async () => (await import("../run-token.ts")).revoke(cli, name)),
      )
  },
}

function createCommand(token: Parser, cli: Cli): void {
  token
    .command("create")
    .description("make a token for one person, service or agent")
    .argument("<name>", "who it is: letters, digits, dots, dashes, underscores, @")
    .requiredOption(
      "--kind <kind>",
      "human, service, agent or monitor (reads metrics, nothing else)",
    )
    .option("--group <group>", "role bindings may name it (repeatable)", collect)
    .option("--for <duration>", "how long it works, at most 366d", "90d")
    .option("--file <file>", "write it into this new file, readable by you alone")
    .addHelpText("after", help)
    .action((name: string, options: TokenOptions) =>
      cli.run(async () => (await import("../run-token.ts")).create(cli, name, options)),
    )
}
