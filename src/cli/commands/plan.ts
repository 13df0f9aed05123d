// `setpoint plan [PATH]`: what would change and why. It reads the store, the manifests and the
// targets itself, with or without a running plane, and writes nothing anywhere.

import { Option } from "commander"
import type { GitScheme } from "../../contract/git-source.ts"
import type { ExecProgramOptions } from "../../providers/exec/exec-program.ts"
import type { Cli, CliCommand } from "../command.ts"
import { execProvider, gitScheme, sourceRootOption } from "../plane-options.ts"

interface PlanOptions {
  readonly root?: readonly string[]
  readonly provider?: readonly string[]
  readonly execProvider?: readonly ExecProgramOptions[]
  readonly keyFile?: string
  readonly mode: "Observe" | "Propose" | "Enforce"
  readonly name?: string
  readonly sourceRoot?: string
  readonly git?: string
  readonly url?: string
  readonly gitAllow?: readonly GitScheme[]
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
      .option(
        "--exec-provider <name=program>",
        "kinds of this program, by absolute path (repeatable)",
        execProvider,
      )
      .option("--key-file <file>", "key for hashes of secrets")
      .option("--name <loop>", "name of the loop, when not the folder's")
      .addOption(sourceRootOption())
      .option("--git <ref>", "what if the loops took this branch, tag or commit (of PATH alone)")
      .option("--url <url>", "with --git: of this repository, not of the one here")
      .option("--git-allow <scheme>", "fetch over http, file or git, too (repeatable)", gitScheme)
      .addOption(
        new Option("--mode <mode>", "how a loop that is not stored yet would run")
          .choices(["Observe", "Propose", "Enforce"])
          .default("Enforce"),
      )
      .addHelpText(
        "after",
        "\nExamples:\n  setpoint plan ./site\n  setpoint plan --git HEAD -o markdown",
      )
      .action((path: string | undefined, options: PlanOptions) =>
        cli.run(() => plan(cli, path, options)),
      )
  },
}

async function plan(cli: Cli, path: string | undefined, options: PlanOptions): Promise<number> {
  const { runPlan } = await import("../run-plan.ts")
  return runPlan(cli, path, options)
}
