// Asks the plane for a report on a loop and prints it.

import { isObject, type JsonObject } from "../base/json.ts"
import type { Cli } from "./command.ts"
import type { ReportOptions } from "./commands/report.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"
import { printDocument } from "./render/document.ts"
import { activityLines, complianceLines } from "./render/report-lines.ts"
import { findObject, keyOf, servedKinds } from "./resolve-kinds.ts"
import { loopName } from "./run-history.ts"

export async function runReport(cli: Cli, loop: string, options: ReportOptions): Promise<number> {
  const { namespace } = cli.options()
  if (options.object !== undefined && options.compliance !== true) {
    const hint = "add --compliance, or use `setpoint history KIND NAME`"
    throw cliFault("SPT-CLI-002", { what: "--object", why: "it is for --compliance", hint })
  }
  const client = cli.connect()
  const query = new URLSearchParams({ loop: loopName(loop, namespace) })
  if (options.since !== undefined) query.set("since", options.since)
  if (options.compliance === true) query.set("compliance", "true")
  if (options.object !== undefined) {
    const named = findObject(await servedKinds(client), [options.object])
    query.set("object", keyOf(named, namespace))
  }
  const answer = await client.call("GET", `/setpoint/v1/report?${query}`)
  const report: JsonObject = isObject(answer) ? answer : {}
  if (await printDocument(cli, report)) return exitCode.ok
  const { terminal } = cli
  const lines =
    options.compliance === true
      ? complianceLines(report, options.object !== undefined)
      : activityLines(report)
  terminal.print(lines.join("\n"))
  return exitCode.ok
}
