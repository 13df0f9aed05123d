// `setpoint complete -- WORDS`: what the completion scripts ask; not for people.

import type { CliCommand } from "../command.ts"
import { exitCode } from "../exit-codes.ts"

export const completeCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("complete", { hidden: true })
      .description("candidates for the last word, one a line (completion scripts ask this)")
      .argument("[words...]", "the words after `setpoint`, after --")
      .action((words: readonly string[]) =>
        cli.run(async () => {
          const { candidates } = await import("../complete/run-complete.ts")
          for (const word of await candidates(parser, words)) cli.terminal.print(word)
          return exitCode.ok
        }),
      )
  },
}
