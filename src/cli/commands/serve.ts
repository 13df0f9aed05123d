// `setpoint serve`: a plane without a source of its own.

import type { CliCommand } from "../command.ts"
import { commandText } from "../command-text.ts"
import { planeOptions } from "../plane-options.ts"
import type { RunPlaneOptions } from "../run-plane.ts"
import { boundYoungSpace } from "../running/young-space.ts"

export const serveCommand: CliCommand = {
  register(parser, cli) {
    const command = parser.command("serve").description("run a plane; objects come by the API")
    planeOptions(command)
      .addHelpText(
        "after",
        "\nExample:\n  setpoint serve --data /var/lib/setpoint --listen 0.0.0.0:7443",
      )
      .action((options: RunPlaneOptions) =>
        cli.run(async () => {
          boundYoungSpace()
          const { startScreen } = await import("../running/start-screen.ts")
          const { runPlane } = await import("../run-plane.ts")
          return runPlane(cli, options, async (local) => {
            const global = cli.options()
            const how = { look: commandText(global, "status"), stop: commandText(global, "stop") }
            for (const line of startScreen(local, [], how, cli.terminal)) cli.terminal.print(line)
            return []
          })
        }),
      )
  },
}
