// `setpoint up PATH`: a plane here that keeps what PATH declares, as the person who started it.

import { Option } from "commander"
import type { Cli, CliCommand } from "../command.ts"
import { commandText } from "../command-text.ts"
import { planeOptions } from "../plane-options.ts"
import type { RunPlaneOptions } from "../run-plane.ts"

interface UpOptions extends RunPlaneOptions {
  readonly mode?: "Observe" | "Propose" | "Enforce"
  readonly name?: string
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
    planeOptions(command)
      .addHelpText("after", "\nExample:\n  setpoint up ./site --mode Observe")
      .action((path: string, options: UpOptions) => cli.run(() => up(cli, path, options)))
  },
}

async function up(cli: Cli, path: string, options: UpOptions): Promise<number> {
  const { namespace } = cli.options()
  const { readUpFolder, loopNameOf } = await import("../running/up-folder.ts")
  const folder = readUpFolder(path, namespace)
  // Before anything is made on the disk.
  if (folder.loops.length === 0 && options.name === undefined) loopNameOf(folder.path, namespace)
  const { applyLoops } = await import("../running/apply-loops.ts")
  const { startScreen } = await import("../running/start-screen.ts")
  const { localPrincipal } = await import("../../plane/adapters/local-token.ts")
  const { runPlane } = await import("../run-plane.ts")
  return runPlane(cli, options, async (local) => {
    const client = local.plane.client(localPrincipal())
    const { name, mode } = options
    const loops = await applyLoops(client, folder, {
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
