// `setpoint demo`: a live demo in a temporary folder.

import type { CliCommand } from "../command.ts"
import { exitCode } from "../exit-codes.ts"

export const demoCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("demo")
      .description("a live demo in a temporary folder: break things with single keys, watch")
      .option("--keep", "keep the folder at the end")
      .addHelpText("after", "\nExample:\n  setpoint demo\n  echo 'e r j b q' | setpoint demo")
      .action((options: { readonly keep?: boolean }) =>
        cli.run(async () => {
          const { runDemo } = await import("../demo/run-demo.ts")
          const fine = await runDemo(cli.terminal, options.keep === true)
          return fine ? exitCode.ok : exitCode.failed
        }),
      )
  },
}
