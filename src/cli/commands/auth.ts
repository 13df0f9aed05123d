// `setpoint auth can-i|whoami`: what the caller may do here, and as whom they are known.

import type { CliCommand } from "../command.ts"

export interface CanIOptions {
  readonly subresource?: string
  readonly allNamespaces?: boolean
}

const help = `
Exit 0 when allowed, 1 when not. VERB is get, list, watch, create, update, patch, delete, or one of
approve, stop, resume, rollback, loosen, break-glass, look, move, release, detach, forget.

Examples:
  setpoint auth can-i create files
  setpoint auth can-i approve plans --subresource approval -n shop
  setpoint auth can-i get /metrics`

export const authCommand: CliCommand = {
  register(parser, cli) {
    const auth = parser.command("auth").description("what you may do, and as whom you are known")
    auth
      .command("can-i")
      .description("whether your roles allow it")
      .argument("<verb>")
      .argument("<resource>", "a kind, KIND/NAME, or a path that begins with /")
      .option("--subresource <name>", "of the kind, such as approval or status")
      .option("-A, --all-namespaces", "in all namespaces, not only in one")
      .addHelpText("after", help)
      .action((verb: string, resource: string, options: CanIOptions) =>
        cli.run(async () => (await import("../run-auth.ts")).canI(cli, verb, resource, options)),
      )
    auth
      .command("whoami")
      .description("your name and groups, as the plane knows them")
      .action(() => cli.run(async () => (await import("../run-auth.ts")).whoAmI(cli)))
  },
}
