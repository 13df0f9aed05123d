// One honest look at a table: what is there, proof that it is not, or why that can't be told. An
// error of nft is never an absence: that takes a list of all tables without this one.

import { at, isArray, type Json } from "../../base/json.ts"
import { protects } from "../../base/protections.ts"
import type { CommandResult, CommandsRead } from "../../contract/commands.ts"
import { failureOf } from "../../contract/diagnosis.ts"
import { type Absent, absent, type Unknown, unknown } from "../../contract/observation.ts"
import { type Dump, parseDump } from "./dump.ts"
import type { FirewallSpec } from "./firewall-spec.ts"
import { hostName, listTable, listTables } from "./host.ts"

export interface Seen {
  readonly kind: "seen"
  readonly dump: Dump
}

export type Sight = Seen | Absent | Unknown

export async function look(
  commands: CommandsRead,
  spec: FirewallSpec,
  signal: AbortSignal,
): Promise<Sight> {
  try {
    const listed = await commands.look(listTable(spec), signal)
    if (listed.code === 0) return seen(listed.stdout)
    if (!/No such file or directory/.test(listed.stderr)) return afterError(listed)
    return provenAbsent(spec, await commands.look(listTables(spec), signal), listed)
  } catch (error) {
    return unknown(error instanceof Error ? error.message : String(error), false, failureOf(error))
  }
}

function seen(text: string): Sight {
  const dump = parseDump(text)
  return typeof dump === "string" ? unknown(dump) : { kind: "seen", dump }
}

function provenAbsent(spec: FirewallSpec, all: CommandResult, one: CommandResult): Sight {
  if (all.code !== 0) return afterError(all)
  const tables = tablesIn(all.stdout)
  if (tables === undefined) return unknown("nft did not list its tables as JSON")
  const { family, table } = spec
  // It is there, and could not be listed.
  if (tables.includes(`${family} ${table}`)) return complaint(one)
  const where = hostName(spec.host) === "" ? "this host" : `namespace ${hostName(spec.host)}`
  return absent(`nft lists ${tables.length} tables on ${where}, and no ${family} ${table}`)
}

function afterError(result: CommandResult): Sight {
  if (protects("nft-error-is-not-absence")) return complaint(result)
  return absent("nft listed nothing")
}

function tablesIn(text: string): readonly string[] | undefined {
  try {
    const listed = at(JSON.parse(text) as Json, "nftables")
    if (!isArray(listed)) return undefined
    return listed
      .map((one) => `${at(one, "table", "family")} ${at(one, "table", "name")}`)
      .filter((name) => !name.startsWith("undefined"))
  } catch {
    return undefined
  }
}

/** What nft said of a failure; not being allowed to is no more than that. */
export function complaint({ code, stderr }: CommandResult): Unknown {
  const said = firstLine(stderr)
  const cause = `nft ended with exit code ${code}${said === "" ? "" : `: ${said}`}`
  const denied = /not permitted|permission denied/i.test(stderr)
  return unknown(cause, false, denied ? { class: "Permission" } : {})
}

export function firstLine(text: string): string {
  return (text.trim().split("\n")[0] ?? "").slice(0, 300)
}
