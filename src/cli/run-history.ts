// Reads the journal through the plane and prints it, the newest last.

import { isObject, type Json } from "../base/json.ts"
import type { Client } from "../contract/client.ts"
import type { JournalEntry } from "../contract/journal.ts"
import type { Cli } from "./command.ts"
import type { HistoryOptions } from "./commands/history.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"
import { printDocument } from "./render/document.ts"
import { historyLines } from "./render/history-lines.ts"
import { findObject, keyOf, servedKinds } from "./resolve-kinds.ts"

export async function runHistory(cli: Cli, words: readonly string[], options: HistoryOptions) {
  const client = cli.connect()
  const limit = Number(options.limit)
  if (!Number.isInteger(limit) || limit < 1) {
    const hint = "give a whole number from 1"
    throw cliFault("SPT-CLI-002", { what: `--limit ${options.limit}`, why: "it is no count", hint })
  }
  const { namespace } = cli.options()
  const query = new URLSearchParams({ limit: String(limit) })
  if (words.length > 0) {
    const named = findObject(await servedKinds(client), words)
    query.set("object", keyOf(named, namespace))
  }
  if (options.since !== undefined) query.set("since", options.since)
  if (options.loop !== undefined) query.set("loop", loopName(options.loop, namespace))
  const search = searchWords(options)
  for (const [name, value] of search) query.set(name, value)
  const entries =
    search.length === 0
      ? readEntries(await client.call("GET", `/setpoint/v1/history?${query}`))
      : await searched(client, query, limit)
  if (await printDocument(cli, { entries })) return exitCode.ok
  const lines = historyLines(entries, cli.terminal)
  if (lines.length === 0) cli.terminal.note("nothing happened yet")
  else cli.terminal.print(lines.join("\n"))
  return exitCode.ok
}

const searchNames = {
  ...{ until: "until", verb: "verb", cause: "cause", by: "principal" },
  ...{ revision: "revision", type: "type", text: "text" },
} as const

function searchWords(options: HistoryOptions): [string, string][] {
  return Object.entries(searchNames).flatMap(([option, name]): [string, string][] => {
    const value = options[option as keyof typeof searchNames]
    return value === undefined ? [] : [[name, value]]
  })
}

/** A search that has looked at enough says where it goes on; asked here until there is enough. */
async function searched(
  client: Pick<Client, "call">,
  query: URLSearchParams,
  limit: number,
): Promise<readonly JournalEntry[]> {
  const found: JournalEntry[] = []
  query.set("full", "true")
  for (;;) {
    query.set("limit", String(Math.min(500, limit - found.length)))
    const answer = await client.call("GET", `/setpoint/v1/journal?${query}`)
    found.push(...readEntries(answer))
    const next = isObject(answer) ? answer.next : undefined
    if (typeof next !== "string" || found.length >= limit) return found.toReversed()
    query.set("before", next)
  }
}

export const loopName = (typed: string, namespace: string): string =>
  typed.includes(".") || typed === "plane" ? typed : `${namespace}.${typed}`

/** The plane's own journal, as it wrote it. */
export function readEntries(answer: Json): readonly JournalEntry[] {
  const entries = isObject(answer) && Array.isArray(answer.entries) ? answer.entries : []
  return entries.filter(
    (entry) => isObject(entry) && isObject(entry.event),
  ) as object[] as JournalEntry[]
}
