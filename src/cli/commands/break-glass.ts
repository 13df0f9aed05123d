// `setpoint break-glass LOOP`: lifts the limits of one loop for a time, loudly.

import type { CliCommand } from "../command.ts"

export interface BreakGlassOptions {
  readonly for: string
  readonly reason?: string
  readonly deletes: string
  readonly end?: boolean
}

const help = `
It lifts limits, windows, and holds for flapping, drift and conflicts. It never lifts a stop, the
mode, freshness, ownership, protection, invariants or a rejection. Every act under it says so.

Example:
  setpoint break-glass site --for 30m --deletes 20 --reason "moving to the new disk"`

export const breakGlassCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("break-glass")
      .description("lift the limits of one loop for a time; a person, with a reason")
      .argument("<loop>", "NAME or NAMESPACE.NAME")
      .option("--for <duration>", "how long it stands, at most 4h", "30m")
      .option("--reason <text>", "why; shown everywhere and kept in the journal")
      .option("--deletes <number>", "how many things may be destroyed under it, at most 1000", "10")
      .option("--end", "end it now: the limits count again")
      .addHelpText("after", help)
      .action((loop: string, options: BreakGlassOptions) =>
        cli.run(async () => (await import("../run-break-glass.ts")).breakGlass(cli, loop, options)),
      )
  },
}
