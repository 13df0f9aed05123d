// `setpoint serve`: a plane without a source of its own.

import type { CliCommand } from "../command.ts"
import { planeOptions } from "../plane-options.ts"
import type { RunPlaneOptions } from "../run-plane.ts"

export const serveCommand: CliCommand = {
  register(parser, cli) {
    const command = parser.command("serve").description("run a plane; objects come by the API")
    planeOptions(command).action((options: RunPlaneOptions) =>
      cli.run(async () =>
        (await import("../run-plane.ts")).runPlane(cli, options, async ({ data }) => {
          cli.terminal.print(`plane ${data.planeId} is running on ${data.directory}`)
        }),
      ),
    )
  },
}
