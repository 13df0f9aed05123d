// Where an audit reads: the plane that runs on the data directory, or the directory itself when
// none does. Both answer with the same code on the same store.

import { resolve } from "node:path"
import { toTimestamp } from "../base/clock.ts"
import { isFault } from "../base/faults.ts"
import { isArray, isObject, type Json, type JsonObject, toPlainJson } from "../base/json.ts"
import { systemClock } from "../base/system.ts"
import type { HttpClient } from "../client/http/http-client.ts"
import { type EntriesQuery, entriesPage, keptHeads, verifyJournals } from "../ledger/audit.ts"
import { journalLoops } from "../ledger/journal.ts"
import type { KeptHead } from "../ledger/verify-journal.ts"
import { openReadOnlyStore } from "../store/engines/open-read-only-store.ts"
import type { Cli } from "./command.ts"
import { clientFor } from "./lazy-client.ts"

export interface AuditSource {
  /** Said to people: where the answers come from. */
  readonly from: "plane" | "directory"
  heads(): Promise<JsonObject>
  /** Journals of which anything is left. */
  loops(): Promise<string[]>
  verify(loop: string, kept: readonly KeptHead[]): Promise<Json>
  entries(query: EntriesQuery): Promise<Json>
  close(): Promise<void>
}

/** A long journal takes its time. */
const timeoutMs = 3_600_000
const noPlane = new Set(["SPT-CLI-001", "SPT-CLIENT-002"])

export async function openAuditSource(cli: Cli): Promise<AuditSource> {
  const { data, kubeconfig } = cli.options()
  try {
    const source = planeSource(clientFor(cli.options(), { timeoutMs }))
    await source.heads()
    return source
  } catch (error) {
    if (kubeconfig !== undefined || !isFault(error) || !noPlane.has(error.code)) throw error
  }
  return directorySource(resolve(data))
}

function planeSource(client: HttpClient): AuditSource {
  const call = async (method: "GET" | "POST", path: string, body?: Json) => {
    const answer = await client.call(method, `/setpoint/v1/audit/${path}`, body)
    return isObject(answer) ? answer : {}
  }
  return {
    from: "plane",
    heads: () => call("GET", "heads"),
    loops: async () => {
      const { loops } = await call("GET", "loops")
      return isArray(loops) ? loops.map(String) : []
    },
    verify: async (loop, kept) => {
      const heads = toPlainJson(kept.filter((one) => one.loop === loop))
      const { checks } = await call("POST", `verify?${new URLSearchParams({ loop })}`, { heads })
      return checks ?? []
    },
    entries: ({ loop, after, since }) => {
      const query = new URLSearchParams({ loop, after: String(after), since })
      return call("GET", `entries?${query}`)
    },
    close: async () => client.close(),
  }
}

async function directorySource(directory: string): Promise<AuditSource> {
  const store = await openReadOnlyStore(directory)
  const now = systemClock.now()
  return {
    from: "directory",
    heads: async () => {
      const { planeId } = store.identity
      const heads = toPlainJson(await keptHeads(store))
      return { format: 1, plane: planeId, time: toTimestamp(now), heads }
    },
    loops: () => journalLoops(store),
    verify: async (loop, kept) => toPlainJson(await verifyJournals(store, loop, kept)),
    entries: async (query) => toPlainJson(await entriesPage(store, query, now)),
    close: () => store.close(),
  }
}
