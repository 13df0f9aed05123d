// `setpoint checkpoint ...`: pins what a loop declares under a name, lists and compares pins.

import type { CliCommand } from "../command.ts"

export interface ReasonOption {
  readonly reason?: string
}

const help = `
The engine keeps last-good, the last state that converged, and last-good-1, the one before,
by itself. A checkpoint holds what the API holds, secrets in specs too.

Example:
  setpoint checkpoint create site before-upgrade --reason "known to work"
  setpoint checkpoint diff site before-upgrade`

export const checkpointCommand: CliCommand = {
  register(parser, cli) {
    const command = parser
      .command("checkpoint")
      .description("pin what a loop declares, to compare with it or to return to it")
      .addHelpText("after", help)
    const loop = "NAME or NAMESPACE.NAME"
    command
      .command("create")
      .description("pin what the loop declares now")
      .argument("<loop>", loop)
      .argument("<name>", "small letters, digits, dots and dashes")
      .option("--reason <text>", "why; kept with it and in the journal")
      .action((id: string, name: string, options: ReasonOption) =>
        cli.run(async () => (await import("../run-checkpoint.ts")).create(cli, id, name, options)),
      )
    command
      .command("list")
      .description("checkpoints of a loop, or of all")
      .argument("[loop]", loop)
      .action((id: string | undefined) =>
        cli.run(async () => (await import("../run-checkpoint.ts")).list(cli, id)),
      )
    command
      .command("show")
      .description("what is pinned")
      .argument("<loop>", loop)
      .argument("<name>")
      .option("--page <n>", "which page of 500 objects", "1")
      .action((id: string, name: string, options: { readonly page: string }) =>
        cli.run(async () => (await import("../run-checkpoint.ts")).show(cli, id, name, options)),
      )
    command
      .command("diff")
      .description("what differs from A to B, field by field; exit 2 when something does")
      .argument("<loop>", loop)
      .argument("<a>", "a checkpoint")
      .argument("[b]", "another one; what is declared now when missing", "now")
      .action((id: string, a: string, b: string) =>
        cli.run(async () => (await import("../run-checkpoint.ts")).diff(cli, id, a, b)),
      )
    command
      .command("delete")
      .description("forget a checkpoint; for people only")
      .argument("<loop>", loop)
      .argument("<name>")
      .option("--reason <text>", "why; kept in the journal")
      .action((id: string, name: string, options: ReasonOption) =>
        cli.run(async () => (await import("../run-checkpoint.ts")).remove(cli, id, name, options)),
      )
  },
}
