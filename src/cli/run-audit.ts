// Verifies, exports and anchors the journal. Exports go out page by page and wait for the reader,
// so that memory does not grow with the journal.

import { once } from "node:events"
import { readFileSync } from "node:fs"
import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { jsonText, parseJson } from "../base/json-text.ts"
import { readHeads } from "../ledger/audit.ts"
import { ledgerFault } from "../ledger/faults.ts"
import { type BadRecord, type KeptHead, recordText } from "../ledger/verify-journal.ts"
import { type AuditSource, openAuditSource } from "./audit-source.ts"
import type { Cli } from "./command.ts"
import type { ExportOptions, VerifyOptions } from "./commands/audit.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"
import { printDocument } from "./render/document.ts"
import { tableLines } from "./render/table.ts"
import { loopName } from "./run-history.ts"

export async function runVerify(cli: Cli, name: string | undefined, options: VerifyOptions) {
  const kept = options.anchor === undefined ? [] : readKept(options.anchor)
  const source = await openAuditSource(cli)
  try {
    const checks: JsonObject[] = []
    for (const loop of await loopsOf(cli, source, name, kept)) {
      const answer = await source.verify(loop, kept)
      checks.push(...(isArray(answer) ? answer.filter(isObject) : []))
    }
    return await showChecks(cli, checks, source.from)
  } finally {
    await source.close()
  }
}

export async function runExport(cli: Cli, name: string | undefined, options: ExportOptions) {
  const source = await openAuditSource(cli)
  try {
    for (const loop of await loopsOf(cli, source, name, [])) {
      await exportLoop(source, loop, options.since ?? "")
    }
    return exitCode.ok
  } finally {
    await source.close()
  }
}

export async function runAnchor(cli: Cli): Promise<number> {
  const source = await openAuditSource(cli)
  try {
    const heads = await source.heads()
    if (!(await printDocument(cli, heads))) cli.terminal.print(jsonText(heads, 2))
    return exitCode.ok
  } finally {
    await source.close()
  }
}

async function exportLoop(source: AuditSource, loop: string, since: string): Promise<void> {
  let after = 0
  for (;;) {
    const page = await source.entries({ loop, after, since })
    const entries = isObject(page) && isArray(page.entries) ? page.entries : []
    const lines = entries.map((entry) => `${jsonText(entry)}\n`).join("")
    // Whoever reads slowly is waited for.
    if (lines !== "" && !process.stdout.write(lines)) await once(process.stdout, "drain")
    if (!isObject(page) || typeof page.next !== "number") return
    after = page.next
  }
}

/** Journals that exist, and those that somebody knows of. */
async function loopsOf(
  cli: Cli,
  source: AuditSource,
  name: string | undefined,
  kept: readonly KeptHead[],
): Promise<string[]> {
  if (name !== undefined) return [loopName(name, cli.options().namespace)]
  const loops = [...(await source.loops()), ...kept.map((one) => one.loop)]
  return [...new Set(loops)].sort()
}

function readKept(file: string): KeptHead[] {
  const why = (text: string) =>
    cliFault("SPT-CLI-002", {
      what: `--anchor ${file}`,
      why: text,
      hint: "give the file that `setpoint audit anchor` printed",
    })
  let document: Json
  try {
    document = parseJson(readFileSync(file, "utf8"))
  } catch (error) {
    throw why(error instanceof SyntaxError ? "it is no JSON" : String(error))
  }
  if (!isObject(document) || !isArray(document.heads)) throw why("it holds no heads")
  return readHeads(document)
}

async function showChecks(
  cli: Cli,
  checks: readonly JsonObject[],
  from: AuditSource["from"],
): Promise<number> {
  const bad = checks.filter((check) => isObject(check.bad))
  const code = bad.length === 0 ? exitCode.ok : exitCode.failed
  if (await printDocument(cli, { from, checks })) return code
  const { terminal } = cli
  if (from === "directory") terminal.note("no plane is running; the data directory was read")
  if (checks.length === 0) terminal.note("there is no journal yet")
  else for (const line of checkLines(checks)) terminal.print(line)
  for (const check of bad) {
    const record = check.bad as object as BadRecord
    const details = { loop: String(check.loop), record: recordText(record), what: record.what }
    const { message, code: name, hint } = ledgerFault("SPT-LEDGER-003", details)
    terminal.note(`${terminal.paint("red", "error:")} ${message} [${name}]`)
    terminal.note(`${terminal.paint("dim", "hint:")}  ${hint}`)
  }
  return code
}

function checkLines(checks: readonly JsonObject[]): string[] {
  const rows = checks.map((check) => {
    const { loop, from, to, entries, anchors, bad } = check
    const dropped = Number(from) > 1 ? `the ${Number(from) - 1} before it were dropped` : ""
    const range = Number(entries) === 0 ? "-" : `${from}-${to}`
    return [
      String(loop),
      bad === undefined ? "sound" : "BAD",
      range,
      String(anchors),
      dropped || "-",
    ]
  })
  return tableLines(["journal", "state", "verified", "anchors", "note"], rows)
}
