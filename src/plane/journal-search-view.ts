// Searching the journals, the newest first, in pages; and one record whole. Every answer is
// bounded: a search that has looked at enough says so and where it goes on. It shows nobody a
// journal that they may not read.

import type { ExtensionRoute } from "../api/extensions.ts"
import { toPlainJson } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import type { JournalEntry } from "../contract/journal.ts"
import { ledgerFault } from "../ledger/faults.ts"
import { isWanted, type JournalWanted, readJournalBackwards } from "../ledger/journal-search.ts"
import { decodeDocument, ledgerKeys } from "../ledger/keys.ts"
import { sinceMs } from "../ledger/since.ts"
import { knownLoop } from "./history-view.ts"
import { briefOf } from "./journal-brief.ts"
import type { Plane } from "./plane.ts"
import { journal, loopAccess, Sight } from "./route-access.ts"

const limitMax = 500
const scannedMax = 20_000
const textMax = 4 * 1024 * 1024
const wordMax = 300
/** More are found by naming one. */
const journalsMax = 200
/** A clock that was set back by less than this hides nothing. */
const clockDoubtMs = 86_400_000

export function journalSearchRoutes(plane: Plane): ExtensionRoute[] {
  return [
    {
      method: "GET",
      pattern: "/setpoint/v1/journal",
      access: (_params, query) =>
        query.has("loop") ? loopAccess("get", query.get("loop"), journal) : [],
      handler: async (principal, _params, query) =>
        toPlainJson(await search(plane, query, new Sight(plane, principal))),
    },
    {
      method: "GET",
      pattern: "/setpoint/v1/journal/:loop/:sequence",
      access: ({ loop = "" }) => loopAccess("get", loop, journal),
      handler: async (_principal, { loop = "", sequence = "" }) =>
        toPlainJson(await record(plane, loop, Number(sequence))),
    },
  ]
}

async function search(plane: Plane, query: URLSearchParams, sight: Sight): Promise<object> {
  const wanted = wantedBy(query, plane.ports.clock.now())
  const limit = Math.min(limitMax, Math.max(1, Number(query.get("limit") ?? 50) || 50))
  const whole = query.get("full") === "true"
  const loop = query.get("loop")
  const seen =
    loop === null
      ? plane.engine.ledger.journalLoops().filter((one) => sight.journal(one))
      : [knownLoop(plane, loop)]
  const chosen = seen.slice(0, journalsMax)
  const before = readCursor(query.get("before"))
  const merged = new Merged(plane, chosen, before, wanted.sinceMs - clockDoubtMs)
  const entries: JournalEntry[] = []
  let scanned = 0
  let size = 0
  for (;;) {
    const entry = await merged.next()
    if (entry === undefined) break
    scanned++
    if (isWanted(entry, wanted)) {
      entries.push(entry)
      if (whole) size += jsonText(entry).length
    }
    if (entries.length >= limit || scanned >= scannedMax || size > textMax) break
    await plane.engine.breath.due()
  }
  const next = merged.cursor()
  return {
    entries: whole ? entries : entries.map(briefOf),
    scanned,
    ...(next === "" ? {} : { next }),
    ...(seen.length > chosen.length ? { journalsLeft: seen.length - chosen.length } : {}),
  }
}

/** Several journals as one, the newest first. */
class Merged {
  readonly #streams: Stream[]
  readonly #oldestMs: number

  constructor(
    plane: Plane,
    loops: readonly string[],
    before: ReadonlyMap<string, number> | undefined,
    oldestMs: number,
  ) {
    const { store } = plane.ports
    const atOnce = loops.length > 8 ? 50 : 500
    this.#oldestMs = oldestMs
    this.#streams = loops.flatMap((loop) => {
      const from = before === undefined ? Number.POSITIVE_INFINITY : before.get(loop)
      // What a cursor does not name was read to its end.
      if (from === undefined) return []
      return [{ loop, entries: readJournalBackwards(store, loop, from, atOnce), from }]
    })
  }

  async next(): Promise<JournalEntry | undefined> {
    let newest: Stream | undefined
    for (const stream of this.#streams) {
      if (stream.entry === undefined) await this.#load(stream)
      const time = stream.entry?.time ?? ""
      if (time > (newest?.entry?.time ?? "")) newest = stream
    }
    const entry = newest?.entry
    if (newest === undefined || entry === undefined) return undefined
    newest.from = entry.sequence
    newest.entry = undefined
    return entry
  }

  async #load(stream: Stream): Promise<void> {
    if (stream.ended === true) return
    const { value, done } = await stream.entries.next()
    const over = done === true || Date.parse(value.time) < this.#oldestMs
    if (over) stream.ended = true
    else stream.entry = value
  }

  /** Where the next page goes on in each journal that has more; "" at the end of all. */
  cursor(): string {
    const open = this.#streams.filter((one) => one.ended !== true && one.from > 1)
    return open.map(({ loop, from }) => `${loop}:${Number.isFinite(from) ? from : ""}`).join(",")
  }
}

interface Stream {
  readonly loop: string
  readonly entries: AsyncGenerator<JournalEntry>
  /** The last sequence that was given out. */
  from: number
  entry?: JournalEntry | undefined
  ended?: boolean
}

/** "default.site:12,plane:": before which sequence to go on; nothing means from the newest. */
function readCursor(text: string | null): ReadonlyMap<string, number> | undefined {
  if (text === null || text === "") return undefined
  const parts = text.split(",").slice(0, journalsMax)
  return new Map(
    parts.map((part) => {
      const [loop = "", sequence = ""] = part.split(":")
      const from = Number(sequence)
      return [loop, from > 0 ? from : Number.POSITIVE_INFINITY] as const
    }),
  )
}

function wantedBy(query: URLSearchParams, now: number): JournalWanted {
  const word = (name: string) => (query.get(name) ?? "").trim().slice(0, wordMax)
  return {
    ...{ object: word("object"), verb: word("verb"), type: word("type"), cause: word("cause") },
    ...{ principal: word("principal"), revision: word("revision"), text: word("text") },
    sinceMs: sinceMs(query.get("since"), now, 0),
    untilMs: sinceMs(query.get("until"), now, Number.POSITIVE_INFINITY),
  }
}

async function record(plane: Plane, loop: string, sequence: number): Promise<object> {
  knownLoop(plane, loop)
  const number = Number.isSafeInteger(sequence) && sequence > 0 ? sequence : 0
  const found = await plane.ports.store.get(ledgerKeys.journalEntry(loop, number))
  if (found === undefined || "kind" in found) {
    throw ledgerFault("SPT-LEDGER-007", { loop, sequence: String(number) })
  }
  const entry = decodeDocument<JournalEntry>(found.value)
  return { entry, brief: briefOf(entry) }
}
