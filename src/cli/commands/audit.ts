// `setpoint audit verify|export|anchor`: whether the journal is what was written, and its entries
// for other systems. Works with a running plane, and on a data directory where none runs.

import type { CliCommand } from "../command.ts"

export interface VerifyOptions {
  readonly anchor?: string
}

export interface ExportOptions {
  readonly since?: string
}

const help = `
A journal that was rewritten as a whole is sound by itself. Keep what \`audit anchor\` prints where
those who can change the data directory can't write, and give it to --anchor.

Examples:
  setpoint audit anchor > heads.json
  setpoint audit verify --anchor heads.json
  setpoint audit export default.site --since 30d > journal.jsonl`

export const auditCommand: CliCommand = {
  register(parser, cli) {
    const audit = parser
      .command("audit")
      .description("verify, export and anchor the journal")
      .addHelpText("after", help)
    const loop = "NAMESPACE.NAME or NAME; without it all journals"
    audit
      .command("verify")
      .description(
        "check every entry, anchor and head (exit 0 sound, 1 names the first bad record)",
      )
      .argument("[loop]", loop)
      .option("--anchor <file>", "heads that were kept elsewhere: the journal has to contain them")
      .action((name: string | undefined, options: VerifyOptions) =>
        cli.run(async () => (await import("../run-audit.ts")).runVerify(cli, name, options)),
      )
    audit
      .command("export")
      .description("entries as JSON lines, the oldest first")
      .argument("[loop]", loop)
      .option("--since <time>", "not older than this: 30d, 12h, or a time")
      .action((name: string | undefined, options: ExportOptions) =>
        cli.run(async () => (await import("../run-audit.ts")).runExport(cli, name, options)),
      )
    audit
      .command("requests")
      .description("every request that changed something or was refused, the oldest first")
      .option("--since <time>", "not older than this: 30d, 12h, or a time (default 1d)")
      .action((options: ExportOptions) =>
        cli.run(async () => (await import("../run-audit-requests.ts")).runRequests(cli, options)),
      )
    audit
      .command("anchor")
      .description("the newest entry of every journal as JSON, to keep elsewhere")
      .action(() => cli.run(async () => (await import("../run-audit.ts")).runAnchor(cli)))
  },
}
