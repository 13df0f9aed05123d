// `setpoint delete`: by name, by manifest, or all of a kind. What is held says which plan waits.

import type { CliCommand } from "../command.ts"

export interface DeleteCommandOptions {
  readonly filename?: readonly string[]
  readonly all?: boolean
  readonly selector?: string
  readonly dryRun?: boolean
  readonly wait: boolean
  readonly timeout: string
}

const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value]

export const deleteCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("delete")
      .description("delete objects and their targets; over the limit it is held (exit 3)")
      .argument("[kind]", "KIND NAME..., or KIND/NAME...")
      .argument("[names...]")
      .option("-f, --filename <file>", "the objects of these manifests (repeatable)", collect)
      .option("--all", "every object of the kind in the namespace")
      .option("-l, --selector <labels>", "every object of the kind with these labels")
      .option("--dry-run", "judge it; delete nothing")
      .option("--no-wait", "do not wait until the targets are gone")
      .option("--timeout <duration>", "how long to wait", "1m")
      .addHelpText(
        "after",
        "\nExamples:\n  setpoint delete file motd\n  setpoint delete files --all",
      )
      .action((kind: string | undefined, names: string[], options: DeleteCommandOptions) =>
        cli.run(async () => {
          const words = kind === undefined ? [] : [kind, ...names]
          return (await import("../run-delete.ts")).runDelete(cli, words, options)
        }),
      )
  },
}
