// `setpoint demo`: a live demo in a temporary folder.

import { Option } from "commander"
import type { CliCommand } from "../command.ts"
import { exitCode } from "../exit-codes.ts"

export const demoCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("demo")
      .description("a live demo in a temporary folder: break things with single keys, watch")
      .option("--keep", "keep the folder at the end")
      .addOption(
        new Option("--remove <folder>", "clean up after a demo that was killed").hideHelp(),
      )
      .addHelpText("after", "\nExample:\n  setpoint demo\n  echo 'k r a b 9 q' | setpoint demo")
      .action((options: { readonly keep?: boolean; readonly remove?: string }) =>
        cli.run(async () => {
          if (options.remove !== undefined) {
            const { removeKilledDemo } = await import("../demo/leftovers.ts")
            return (await removeKilledDemo(options.remove)) ? exitCode.ok : exitCode.failed
          }
          const { runDemo } = await import("../demo/run-demo.ts")
          const fine = await runDemo(cli.terminal, options.keep === true)
          return fine ? exitCode.ok : exitCode.failed
        }),
      )
  },
}
