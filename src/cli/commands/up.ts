// `setpoint up PATH`: a plane here that keeps what PATH declares, as the person who started it.

import { Option } from "commander"
import type { Cli, CliCommand } from "../command.ts"
import { commandText } from "../command-text.ts"
import { planeOptions, sourceRootOption } from "../plane-options.ts"
import type { RunPlaneOptions } from "../run-plane.ts"
import type { GitLoopOptions } from "../running/git-loop.ts"
import { boundYoungSpace } from "../running/young-space.ts"

interface UpOptions extends RunPlaneOptions, Partial<Omit<GitLoopOptions, "mode">> {
  readonly mode?: "Observe" | "Propose" | "Enforce"
  readonly name?: string
  readonly sourceRoot?: string
}

export const upCommand: CliCommand = {
  register(parser, cli) {
    const modes = ["Observe", "Propose", "Enforce"]
    const command = parser
      .command("up")
      .description("run a plane here and keep what PATH declares")
      .argument("[path]", "folder of manifests, or of Loop objects", ".")
      .addOption(
        new Option("--mode <mode>", "how far it may go; a new loop: Enforce").choices(modes),
      )
      .option("--name <loop>", "name of the loop, when not the folder's")
      .option("--git <url>", "keep what this git repository declares, instead of PATH")
      .option("--branch <name>", "of the repository (default main)")
      .option("--tag <name>", "of the repository, instead of a branch")
      .option("--semver <range>", "the highest tag within it, instead of a branch")
      .option("--path <folder>", "of the repository that holds the manifests (default its root)")
      .option("--git-secret <name>", "Secret with the credentials")
      .addOption(sourceRootOption())
    planeOptions(command)
      .addHelpText("after", "\nExample:\n  setpoint up ./site --mode Observe")
      .action((path: string, options: UpOptions) => cli.run(() => up(cli, path, options)))
  },
}

async function up(cli: Cli, path: string, options: UpOptions): Promise<number> {
  const { namespace } = cli.options()
  const { readUpFolder, loopNameOf } = await import("../running/up-folder.ts")
  const { gitLoop, gitLoopName } = await import("../running/git-loop.ts")
  const { git } = options
  // Before anything is made on the disk.
  if (git !== undefined) gitLoopName({ ...options, git }, namespace)
  const folder =
    git === undefined ? readUpFolder(path, namespace, options.sourceRoot) : { path: git, loops: [] }
  const named = options.name !== undefined || git !== undefined
  if (folder.loops.length === 0 && !named) loopNameOf(folder.path, namespace)
  boundYoungSpace()
  const { applyLoops } = await import("../running/apply-loops.ts")
  const { startScreen } = await import("../running/start-screen.ts")
  const { localPrincipal } = await import("../../plane/adapters/local-token.ts")
  const { runPlane } = await import("../run-plane.ts")
  return runPlane(cli, options, async (local) => {
    const client = local.plane.client(localPrincipal())
    const { name, mode } = options
    const own = git === undefined ? [] : [await gitLoop(client, { ...options, git }, namespace)]
    const wanted = git === undefined ? folder : { ...folder, loops: own }
    const loops = await applyLoops(client, wanted, {
      namespace,
      ...(name === undefined ? {} : { name }),
      ...(mode === undefined ? {} : { mode }),
    })
    const global = cli.options()
    const how = { look: commandText(global, "status"), stop: commandText(global, "stop") }
    for (const line of startScreen(local, loops, how, cli.terminal)) cli.terminal.print(line)
    return loops.map(({ metadata }) => `${metadata.namespace}.${metadata.name}`)
  })
}
