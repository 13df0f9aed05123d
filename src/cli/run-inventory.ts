// Asks the plane what it owns, page by page, and shows it as a table.

import { at, isObject, type Json, type JsonObject } from "../base/json.ts"
import type { Cli } from "./command.ts"
import { commandText } from "./command-text.ts"
import type { InventoryOptions } from "./commands/inventory.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"
import { printData } from "./print-data.ts"
import { ageText } from "./render/age.ts"
import { printable } from "./render/printable.ts"
import { tableLines } from "./render/table.ts"
import { loopName } from "./run-ownership.ts"

const pageSize = 500
const limitMax = 100_000

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")

interface Found {
  readonly items: readonly JsonObject[]
  readonly total: number
  readonly orphans: number
}

export async function runInventory(
  cli: Cli,
  loop: string | undefined,
  options: InventoryOptions,
): Promise<number> {
  const limit = Number(options.limit)
  if (!Number.isInteger(limit) || limit < 1 || limit > limitMax) {
    const hint = `a whole number from 1 to ${limitMax}`
    throw cliFault("SPT-CLI-002", { what: `--limit ${options.limit}`, why: "it is none", hint })
  }
  const orphans = options.orphans === true
  const found = await fetchAll(cli, loop, orphans, limit)
  const { items, total } = found
  const data = { items, total, ...(orphans ? {} : { orphans: found.orphans }) }
  if (await printData(cli, data as JsonObject as Json)) return exitCode.ok
  const { terminal } = cli
  const lines = orphans ? orphanLines(items, Date.now()) : ownedLines(items, Date.now())
  if (items.length === 0) terminal.note(orphans ? "no orphans" : "nothing is owned")
  else for (const line of lines) terminal.print(line)
  if (items.length < total) terminal.note(`${items.length} of ${total}; --limit shows more`)
  if (!orphans && found.orphans > 0) {
    const how = commandText(cli.options(), "inventory --orphans")
    terminal.note(`${found.orphans} that nobody keeps any more: ${how}`)
  }
  return exitCode.ok
}

async function fetchAll(
  cli: Cli,
  loop: string | undefined,
  orphans: boolean,
  limit: number,
): Promise<Found> {
  const items: JsonObject[] = []
  let [after, total, left] = ["", 0, 0]
  do {
    const size = Math.min(pageSize, limit - items.length)
    const query = new URLSearchParams({ limit: String(size), after, orphans: String(orphans) })
    if (loop !== undefined) query.set("loop", loopName(cli, loop))
    const answer = await cli.connect().call("GET", `/setpoint/v1/inventory?${query}`)
    const page = at(answer, "items")
    items.push(...(Array.isArray(page) ? page.filter(isObject) : []))
    total = Number(at(answer, "total") ?? 0)
    left = Number(at(answer, "orphans") ?? 0)
    after = text(at(answer, "next"))
  } while (after !== "" && items.length < limit)
  return { items, total, orphans: left }
}

const age = (value: Json | undefined, now: number): string =>
  text(value) === "" ? "-" : ageText(text(value), now)

const shortName = (key: Json | undefined): string => text(key).split("/").slice(1).join("/")

function ownedLines(items: readonly JsonObject[], now: number): string[] {
  const head = ["target", "kind", "object", "loop", "owned for", "seen", "state"]
  const rows = items.map((one) => [
    ...[text(one.target), text(one.kind), shortName(one.object), text(one.loop)],
    ...[age(one.since, now), age(one.lastObserved, now), text(one.state)],
  ])
  return tableLines(head, rows)
}

function orphanLines(items: readonly JsonObject[], now: number): string[] {
  const head = ["target", "kind", "object", "loop", "cause", "for", "by", "why"]
  const rows = items.map((one) => [
    ...[text(one.target), text(one.kind), shortName(one.object), text(one.loop)],
    ...[text(one.cause), age(one.at, now), text(one.by) || "-", text(one.why)],
  ])
  return tableLines(head, rows)
}

export async function runForget(cli: Cli, target: string, reason: string): Promise<number> {
  const path = "/setpoint/v1/inventory/forget"
  const answer = await cli.connect().call("POST", path, { target, reason })
  if (await printData(cli, answer)) return exitCode.ok
  cli.terminal.print(printable(`${target} is forgotten; it was not touched`))
  return exitCode.ok
}
