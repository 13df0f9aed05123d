// `setpoint inventory [LOOP]`: the targets we own; with --orphans those that nobody keeps any more.

import type { CliCommand } from "../command.ts"

export interface InventoryOptions {
  readonly orphans?: boolean
  readonly limit: string
}

export const inventoryCommand: CliCommand = {
  register(parser, cli) {
    const inventory = parser
      .command("inventory")
      .description("the targets that are ours; --orphans shows what nobody keeps any more")
    inventory
      .command("list", { isDefault: true })
      .description("the targets that are ours, or the orphans")
      .argument("[loop]", "of one loop: NAME, or NAMESPACE.NAME")
      .option("--orphans", "released targets, lost objects and creates without an answer")
      .option("--limit <number>", "at most so many", "1000")
      .addHelpText("after", "\nExample:\n  setpoint inventory site --orphans -o json")
      .action((loop: string | undefined, options: InventoryOptions) =>
        cli.run(async () => (await import("../run-inventory.ts")).runInventory(cli, loop, options)),
      )
    inventory
      .command("forget")
      .description("take an orphan off the list; the target itself is not touched")
      .argument("<target>", "as the list shows it: file:/etc/motd")
      .requiredOption("--reason <text>", "why; it stands in the journal")
      .action((target: string, options: { readonly reason: string }) =>
        cli.run(async () =>
          (await import("../run-inventory.ts")).runForget(cli, target, options.reason),
        ),
      )
  },
}
