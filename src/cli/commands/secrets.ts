// `setpoint secrets keys|rotate`: with which key Secrets are encrypted on the disk.

import type { CliCommand } from "../command.ts"

export interface RotateOptions {
  readonly sameKey?: boolean
}

const help = `
Secrets are encrypted on the disk with a key that lies outside the data directory (--key-file).
A backup can only be used together with the keys it was made with: keep old lines of the key file.

Example:
  setpoint secrets rotate`

export const secretsCommand: CliCommand = {
  register(parser, cli) {
    const secrets = parser
      .command("secrets")
      .description("the keys that Secrets are encrypted with")
    secrets
      .command("keys")
      .description("names of the known keys, the newest last, and what can't be opened")
      .action(() => cli.run(async () => (await import("../run-secrets.ts")).keys(cli)))
    secrets
      .command("rotate")
      .description("make a new key, and encrypt every Secret again with it")
      .option("--same-key", "only encrypt again what has an older key, or none")
      .addHelpText("after", help)
      .action((options: RotateOptions) =>
        cli.run(async () => (await import("../run-secrets.ts")).rotate(cli, options)),
      )
  },
}
