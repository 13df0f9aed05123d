// `setpoint up PATH`: a plane here, with a loop made of the folder's manifests.

import { basename, resolve } from "node:path"
import type { CliCommand } from "../command.ts"
import { planeOptions } from "../plane-options.ts"
import type { RunPlaneOptions } from "../run-plane.ts"

interface UpOptions extends RunPlaneOptions {
  readonly mode: "Observe" | "Propose" | "Enforce"
}

export const upCommand: CliCommand = {
  register(parser, cli) {
    const command = parser
      .command("up")
      .description("run a plane here and keep what PATH declares")
      .argument("[path]", "folder of manifests", ".")
      .option("--mode <mode>", "Observe, Propose or Enforce", "Enforce")
    planeOptions(command).action((path: string, options: UpOptions) =>
      cli.run(async () =>
        (await import("../run-plane.ts")).runPlane(cli, options, async ({ plane, data }) => {
          const { namespace } = cli.options()
          const name = basename(resolve(path)).toLowerCase()
          const client = plane.client({ name: "local", kind: "human" })
          const resource = { group: "setpoint.dev", version: "v1alpha1", resource: "loops" }
          const loop = {
            apiVersion: "setpoint.dev/v1alpha1",
            kind: "Loop",
            metadata: { name, namespace },
            spec: { mode: options.mode, source: { directory: { path: resolve(path) } } },
          }
          await client.apply(resource, loop, { fieldManager: "setpoint-up", force: true })
          cli.terminal.print(`plane ${data.planeId} keeps ${path} (loop ${namespace}.${name})`)
        }),
      ),
    )
  },
}
