// The log of requests on the command line, read from the data directory itself, with a plane
// running or not.

import { existsSync } from "node:fs"
import { resolve } from "node:path"
import type { AuditLine } from "../api/http/audit-request.ts"
import { toPlainJson } from "../base/json.ts"
import { sinceMs } from "../ledger/since.ts"
import { readAuditLines } from "../plane/adapters/audit-log.ts"
import type { Cli } from "./command.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"
import { printData } from "./print-data.ts"
import { printable } from "./render/printable.ts"
import { tableLines } from "./render/table.ts"

const dayMs = 86_400_000
const shownMax = 10_000

export async function runRequests(cli: Cli, options: { readonly since?: string }) {
  const { data } = cli.options()
  if (!existsSync(resolve(data))) {
    const hint = "name the plane's data directory with --data"
    throw cliFault("SPT-CLI-002", { what: data, why: "there is no such directory", hint })
  }
  const since = sinceMs(options.since, Date.now(), Date.now() - dayMs)
  const lines: AuditLine[] = []
  for (const line of readAuditLines(resolve(data), since)) {
    lines.push(line)
    if (lines.length > 2 * shownMax) lines.splice(0, lines.length - shownMax)
  }
  const shown = lines.slice(-shownMax)
  if (await printData(cli, toPlainJson({ requests: shown }))) return exitCode.ok
  if (shown.length === 0) cli.terminal.note("no request changed anything in that time")
  else {
    const head = ["Time", "Who", "From", "Verb", "What", "Code"]
    for (const line of tableLines(head, shown.map(cells))) cli.terminal.print(line)
  }
  return exitCode.ok
}

function cells(line: AuditLine): string[] {
  const { user, impersonator, resource = "", group, subresource, namespace, name } = line
  const who = impersonator === undefined ? user : `${impersonator} as ${user}`
  const kind = [group === undefined ? resource : `${resource}.${group}`, subresource]
  const parts = [kind.filter((one) => one !== undefined).join("/"), namespace, name]
  const what = line.path ?? parts.filter((one) => one !== undefined).join(" ")
  const end = line.fault === undefined ? String(line.code) : `${line.code} ${line.fault}`
  return [line.time, who, line.source, line.verb, what, end].map(printable)
}
