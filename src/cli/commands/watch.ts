// `setpoint watch [LOOP]`: what the plane does, as it does it.

import type { CliCommand } from "../command.ts"

export const watchCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("watch")
      .description("follow rounds, drift, plans and sources live")
      .argument("[loop]", "only this loop, as NAMESPACE.NAME or NAME")
      .action((loop: string | undefined) =>
        cli.run(async () => (await import("../run-watch.ts")).runWatch(cli, loop)),
      )
  },
}
