// The inventory as people ask for it: what we own, page by page over the records, and what is left
// over: orphans, and creates of which nobody knows whether they happened. Every answer is bounded.

import { toTimestamp } from "../base/clock.ts"
import type { TargetRecord } from "../contract/record.ts"
import { decodeDocument, ledgerKeys } from "../ledger/keys.ts"
import type { Plane } from "./plane.ts"
import type { Sight } from "./route-access.ts"

const limitMax = 1000
const scanPage = 1000
/** A loop with few targets in a large plane is found over several answers. */
const scannedMax = 20_000

export async function inventoryOf(
  plane: Plane,
  query: URLSearchParams,
  sight: Sight,
): Promise<object> {
  const loop = query.get("loop") ?? undefined
  const limit = Math.min(limitMax, Math.max(1, Number(query.get("limit") ?? 500) || 500))
  const after = query.get("after") ?? ""
  if (query.get("orphans") === "true") return orphanPage(plane, loop, limit, after, sight)
  return ownedPage(plane, loop, limit, after, sight)
}

async function ownedPage(
  plane: Plane,
  loop: string | undefined,
  limit: number,
  after: string,
  sight: Sight,
): Promise<object> {
  const { ledger } = plane.engine
  const found: object[] = []
  const scan = scanRecords(plane, after)
  let next: string | undefined
  for await (const { record, more } of scan) {
    const wanted = loop === undefined ? sight.journal(record.loop) : record.loop === loop
    if (record.owned && wanted) {
      found.push(ownedView(plane, record))
    }
    next = more ? record.uid : undefined
    if (found.length >= limit) break
  }
  const loops = plane.loops.all().flatMap(({ id }) => (sight.journal(id) ? [id] : []))
  const chosen = loop === undefined ? loops : [loop]
  const total = chosen.reduce((sum, id) => sum + ledger.inventory.size(id), 0)
  const orphans = sight.plane()
    ? ledger.orphans.all(loop).length + uncertainUids(plane, loop).length
    : undefined
  return { items: found, total, orphans, next }
}

/** Records in the order of their UIDs; ends after so many, and the last one says that. */
async function* scanRecords(
  { engine }: Plane,
  after: string,
): AsyncIterable<{ readonly record: TargetRecord; readonly more: boolean }> {
  let from = `${ledgerKeys.records}${after}`
  for (let scanned = 0; scanned < scannedMax; scanned += scanPage) {
    const query = { prefix: ledgerKeys.records, after: from, limit: scanPage }
    const page = await engine.ledger.store.range(query)
    if (page.kind === "compacted") return // Only reads of the past are; this one is of now.
    for (const [index, entry] of page.entries.entries()) {
      const record = decodeDocument<TargetRecord>(entry.value)
      yield { record, more: page.more || index < page.entries.length - 1 }
    }
    const last = page.entries.at(-1)?.key
    if (!page.more || last === undefined) return
    from = last
  }
}

function ownedView(plane: Plane, record: TargetRecord): object {
  const { target, object, uid, loop, kind, externalId, ownedAt, actedAt } = record
  const { engine } = plane
  const settled = engine.settled.get(object)
  const swept = plane.loops.get(loop)?.lookedAt
  const seen = settled?.uid === uid ? Math.max(settled.at, swept ?? 0) : undefined
  return {
    ...{ target, object, uid, loop, kind, externalId },
    since: time(ownedAt),
    lastAct: time(actedAt),
    lastObserved: time(seen),
    state: engine.reporter.stateOf(object)?.diagnosis?.class ?? "Converged",
  }
}

async function orphanPage(
  plane: Plane,
  loop: string | undefined,
  limit: number,
  after: string,
  sight: Sight,
): Promise<object> {
  const { ledger } = plane.engine
  const uncertain = []
  for (const uid of uncertainUids(plane, loop)) {
    const record = await ledger.record(uid)
    if (record === undefined || !sight.journal(record.loop)) continue
    const { target, object, kind, actedAt } = record
    const why = "its create got no answer, and its object is still there"
    const place = { id: `${uid}/`, target, object, uid, loop: record.loop, kind }
    uncertain.push({ ...place, cause: "CreateUncertain", at: time(actedAt), by: "", why })
  }
  const seen = ledger.orphans.all(loop).filter((one) => sight.journal(one.loop))
  const left = seen.map(({ format: _, ...orphan }) => {
    return { id: `${orphan.uid}/${orphan.target}`, ...orphan }
  })
  const all = [...uncertain, ...left].sort((one, other) => (one.id < other.id ? -1 : 1))
  const rest = all.filter(({ id }) => id > after)
  const items = rest.slice(0, limit)
  const next = rest.length > items.length ? items.at(-1)?.id : undefined
  return { items, total: all.length, next }
}

/** Creates without an answer; not those that are under way right now. */
function uncertainUids({ engine, loops }: Plane, loop: string | undefined): string[] {
  const all = loops.all()
  return engine.ledger.inventory
    .undecided(loop)
    .filter((uid) => !all.some(({ acting }) => acting.has(uid)))
}

const time = (ms: number | undefined): string | undefined =>
  ms === undefined || ms === 0 ? undefined : toTimestamp(ms)
