// `setpoint render PATH`: the manifests of a folder as its overlay makes them, each value with the
// place where it was written. Reads files and nothing else; no plane is needed.

import type { CliCommand } from "../command.ts"
import { sourceRootOption } from "../plane-options.ts"

export interface RenderOptions {
  readonly sourceRoot?: string
}

export const renderCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("render")
      .description("print the manifests of a folder after its overlay: base, variables, patches")
      .argument("[path]", "folder of manifests", ".")
      .addOption(sourceRootOption())
      .addHelpText("after", "\nExample:\n  setpoint render environments/prod")
      .action((path: string, options: RenderOptions) =>
        cli.run(async () => (await import("../run-render.ts")).runRender(cli, path, options)),
      )
  },
}
