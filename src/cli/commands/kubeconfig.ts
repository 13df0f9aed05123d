// `setpoint kubeconfig`: the way to this plane for kubectl, helm and everything else that speaks
// Kubernetes; with `--token FILE` for somebody else than the owner.

import type { CliCommand } from "../command.ts"

export interface KubeconfigOptions {
  readonly server?: string
}

const help = `
DIR/kubeconfig is the owner's, made at each start of the plane. With the global option --token FILE
the one printed signs in with that token instead of the owner's certificate.

Examples:
  kubectl --kubeconfig .setpoint/kubeconfig get loops -A
  setpoint kubeconfig --token bob.token --server https://plane.example:7443 > bob.kubeconfig`

export const kubeconfigCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("kubeconfig")
      .description("print a kubeconfig for this plane")
      .option("--server <url>", "how others reach it, when not as this host does")
      .addHelpText("after", help)
      .action((options: KubeconfigOptions) =>
        cli.run(async () => (await import("../run-kubeconfig.ts")).runKubeconfig(cli, options)),
      )
  },
}
