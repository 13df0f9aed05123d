// `setpoint plan [PATH]`: what would change and why. It reads the store, the manifests and the
// targets itself, with or without a running plane, and writes nothing anywhere.

import { Option } from "commander"
import type { Cli, CliCommand } from "../command.ts"

interface PlanOptions {
  readonly root?: readonly string[]
  readonly provider?: readonly string[]
  readonly keyFile?: string
  readonly mode: "Observe" | "Propose" | "Enforce"
  readonly name?: string
}

const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value]

export const planCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("plan")
      .description("what would change and why; writes nothing (exit 0 none, 2 differences, 3 held)")
      .argument("[path]", "folder of manifests; without it, the loops that are stored")
      .option("--root <dir>", "files may lie only below this directory (repeatable)", collect)
      .option("--provider <module>", "load kinds from this module (repeatable)", collect)
      .option("--key-file <file>", "key for hashes of secrets")
      .option("--name <loop>", "name of the loop, when not the folder's")
      .addOption(
        new Option("--mode <mode>", "how a loop that is not stored yet would run")
          .choices(["Observe", "Propose", "Enforce"])
          .default("Enforce"),
      )
      .addHelpText("after", "\nExample:\n  setpoint plan ./site")
      .action((path: string | undefined, options: PlanOptions) =>
        cli.run(() => plan(cli, path, options)),
      )
  },
}

async function plan(cli: Cli, path: string | undefined, options: PlanOptions): Promise<number> {
  const { runPlan } = await import("../run-plan.ts")
  return runPlan(cli, path, options)
}
