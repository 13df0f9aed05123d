// `setpoint events`: what the plane found worth telling.

import type { CliCommand } from "../command.ts"

export interface EventsOptions {
  readonly for?: string
  readonly allNamespaces?: boolean
  readonly watch?: boolean
}

export const eventsCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("events")
      .description("drift corrected, acts failed, plans held and decided, sources, stops")
      .option("--for <kind/name>", "only about this object")
      .option("-A, --all-namespaces", "of every namespace")
      .option("-w, --watch", "go on and show new ones")
      .action((options: EventsOptions) =>
        cli.run(async () => (await import("../run-events.ts")).runEvents(cli, options)),
      )
  },
}
