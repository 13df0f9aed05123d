// `setpoint apply -f FILE|DIR|-`: server-side apply of manifests; all are tried before any is
// written.

import type { CliCommand } from "../command.ts"

export interface ApplyOptions {
  readonly filename: readonly string[]
  readonly forceConflicts?: boolean
  readonly dryRun?: boolean
}

const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value]

export const applyCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("apply")
      .description("make or change objects from manifests; all are checked before any is written")
      .requiredOption("-f, --filename <file>", "file, folder, or - for input (repeatable)", collect)
      .option("--force-conflicts", "take fields over from other managers (never from a source)")
      .option("--dry-run", "say what would be done; write nothing")
      .addHelpText("after", "\nExample:\n  setpoint apply -f motd.yaml")
      .action((options: ApplyOptions) =>
        cli.run(async () => (await import("../run-apply.ts")).runApply(cli, options)),
      )
  },
}
