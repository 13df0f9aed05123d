// `setpoint diff -f FILE` compares manifests with what is stored; `setpoint diff KIND NAME`
// compares what is declared, what was applied and what is there.

import type { CliCommand } from "../command.ts"

const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value]

export const diffCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("diff")
      .description("declared against applied and observed; -f: manifests against what is stored")
      .argument("[kind]", "KIND NAME, or KIND/NAME")
      .argument("[name]")
      .option("-f, --filename <file>", "file, folder, or - for input (repeatable)", collect)
      .action(
        (kind: string | undefined, name: string | undefined, options: { filename?: string[] }) =>
          cli.run(async () => {
            const { diffFiles, diffObject } = await import("../run-diff.ts")
            if (options.filename !== undefined) return diffFiles(cli, options.filename)
            return diffObject(
              cli,
              [kind, name].filter((word) => word !== undefined),
            )
          }),
      )
  },
}
